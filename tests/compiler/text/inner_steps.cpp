// Loops over tiles around a loop that hardly executes once have no copy for that: its step is a constant.
#include <sycl/khr/split_headers/queue.hpp>

void sum(sycl::queue& q, double* out, const double* in, long across, int tiles, int step, int items) {
  q.parallel_for<class summed>(sycl::nd_range<1>(128, 32), [=](sycl::nd_item<1> it) {
    const int lid = static_cast<int>(it.get_local_id(0));
    double sum = 0;
    for (int tile = 0; tile < step; ++tile)
      if (lid < items)
        for (int t = tile; t < tiles; t += 7) sum += in[t % across * 16 + lid + t / across * 1024];
    out[it.get_global_id(0)] = sum;
  });
}
// GROUP-NOT: !prism.inner_once
