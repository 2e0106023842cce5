// Small kernels have copies for wider instruction sets in a file of any number of them.
#include <sycl/khr/split_headers/math.hpp>
#include <sycl/khr/split_headers/queue.hpp>

template <int N>
class roots;

template <int N>
void run(sycl::queue& q, float* out, const float* x, int n) {
  q.parallel_for<roots<N>>(sycl::nd_range<1>((n + 255) / 256 * 256, 256), [=](sycl::nd_item<1> it) {
    const int i = int(it.get_global_id(0));
    if (i < n && x[i] > float(N)) out[i] = sycl::sqrt(x[i]) * float(N);
  });
}
template <int... N>
void run_all(sycl::queue& q, float* out, const float* x, int n) {
  (run<N>(q, out, x, n), ...);
}
template void run_all<10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21>(sycl::queue&, float*, const float*, int);
// HOST: define internal void @prism.group.prism_k0_{{[^\n(]*}}.v4
// HOST: define internal void @prism.group.prism_k11_{{[^\n(]*}}.v4
