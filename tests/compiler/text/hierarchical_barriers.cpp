// Two parallel_for_work_items that communicate through a variable of the group have one barrier between them.
// FLAGS: -w
#include <sycl/khr/split_headers/hierarchical_parallelism.hpp>
#include <sycl/khr/split_headers/queue.hpp>

void run(sycl::queue& q, float* y) {
  q.submit([&](sycl::handler& h) {
    h.parallel_for_work_group<class turned>(sycl::range<1>(4), sycl::range<1>(256), [=](sycl::group<1> g) {
      float tile[256];
      g.parallel_for_work_item([&](sycl::h_item<1> i) { tile[i.get_local_id(0)] = y[i.get_global_id(0)]; });
      g.parallel_for_work_item([&](sycl::h_item<1> i) { y[i.get_global_id(0)] = tile[255 - i.get_local_id(0)]; });
    });
  });
}
// OPENCL: __local ulong16* arena_start
// OPENCL: barrier(
// OPENCL-NOT: barrier({{[\s\S]*}}barrier(
// SPIRV: OpControlBarrier
// SPIRV-NOT: OpControlBarrier{{[\s\S]*}}OpControlBarrier
