// A work-group of a reduction over an nd_range stands for several groups, one after the other: the next one
// is as many groups further as have started. A function that asks for the group gets the one it stands for.
#include <sycl/sycl.hpp>

void sum(sycl::queue& q, const float* x, float* total, int* groups) {
  q.submit([&](sycl::handler& h) {
    h.parallel_for<class added>(sycl::nd_range<1>(1 << 20, 256), sycl::reduction(total, sycl::plus<float>()),
                                [=](sycl::nd_item<1> it, auto& own) {
      own += x[it.get_global_id(0)];
      const auto same = sycl::ext::oneapi::this_work_item::get_work_group<1>();
      groups[it.get_group(0)] = static_cast<int>(same.get_group_id(0));
    });
  });
}
// OPENCL: get_num_groups(0)
// OPENCL-NOT: __prism_enter_group
// OPENCL-NOT: __prism_leave_group
