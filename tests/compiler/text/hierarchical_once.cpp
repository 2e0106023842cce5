// A hierarchical kernel with one parallel_for_work_item equals the nd_range kernel: no barrier, no local
// memory, no guard, and the values of the group in every work-item.
// FLAGS: -w
#include <sycl/khr/split_headers/hierarchical_parallelism.hpp>
#include <sycl/khr/split_headers/queue.hpp>

void run(sycl::queue& q, float* y, const float* x, float a) {
  q.submit([&](sycl::handler& h) {
    h.parallel_for_work_group<class once>(sycl::range<1>(4), sycl::range<1>(256), [=](sycl::group<1> g) {
      const float scaled = g.get_group_id(0) > 2 ? a : 2 * a;
      g.parallel_for_work_item([&](sycl::h_item<1> i) { y[i.get_global_id(0)] += scaled * x[i.get_global_id(0)]; });
    });
  });
}
// OPENCL: get_local_id(0)
// OPENCL-NOT: barrier(
// OPENCL-NOT: __local ulong16* arena_start
// OPENCL-NOT: get_local_id(1)
// OPENCL-NOT: < v
// SPIRV-NOT: OpControlBarrier
