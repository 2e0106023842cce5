// Divisions that do not change in a loop over tiles are made before it, though only some work-items reach them, and
// the work-items of a tile then run side by side: the loop over tiles is the outer one. A divisor of 0 becomes 1.
#include <sycl/khr/split_headers/queue.hpp>

void sum(sycl::queue& q, double* out, const double* in, long width, long across, int tiles, long items) {
  q.parallel_for<class summed>(sycl::nd_range<1>(128, 32), [=](sycl::nd_item<1> it) {
    const long lid = it.get_local_id(0);
    double sum = 0;
    for (long t = it.get_group(0); t < tiles; t += it.get_group_range(0))
      if (lid < items) sum += in[t % across * width + lid % width + (t / across + lid / width) * 1024];
    out[it.get_global_id(0)] = sum;
  });
}
// HOST: define internal void @prism.group.prism_k0_
// HOST: select i1 %{{[0-9]+}}, i64 1, i64 %{{[0-9]+}}
// HOST: srem i64
