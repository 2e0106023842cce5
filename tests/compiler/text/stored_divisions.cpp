// In a kernel whose sub-groups synchronise, a quotient that differs between work-items is stored for what follows the
// synchronization, where a loop over work-items with a division would not become vectors.
#include <sycl/khr/split_headers/queue.hpp>

void run(sycl::queue& q, long* out, const long* in, long width) {
  q.parallel_for<class divided>(sycl::nd_range<1>(128, 32), [=](sycl::nd_item<1> it) {
    const long i = static_cast<long>(it.get_global_id(0)), row = i % width;
    out[i] = in[row];
    sycl::group_barrier(it.get_sub_group());
    out[i ^ 1] += row;
  });
}
// GROUP: srem i64
// GROUP-NOT: srem i64{{[\s\S]*}}srem i64
