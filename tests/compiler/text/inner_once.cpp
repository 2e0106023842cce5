// A loop over tiles around a loop by a captured step: in a copy, for steps that are not less than the bound, the inner
// loop has no jump back.
#include <sycl/khr/split_headers/queue.hpp>

void sum(sycl::queue& q, double* out, const double* in, long across, int tiles, int step, int items) {
  q.parallel_for<class summed>(sycl::nd_range<1>(128, 32), [=](sycl::nd_item<1> it) {
    const int lid = static_cast<int>(it.get_local_id(0));
    double sum = 0;
    for (int tile = static_cast<int>(it.get_group(0)); tile < step; tile += it.get_group_range(0))
      if (tile < tiles && lid < items)
        for (int t = tile; t < tiles; t += step) sum += in[t % across * 16 + lid + t / across * 1024];
    out[it.get_global_id(0)] = sum;
  });
}
// GROUP: !prism.inner_once
