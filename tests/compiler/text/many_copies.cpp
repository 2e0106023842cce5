// Ten tree reductions in local memory, whose copies for AVX2 and AVX-512 gain little for their size. The
// first ones have copies and the last ones have none: otherwise clang would need a sixth more time for a file
// of fifty kernels. The program has no source locations either, because only the kernels' messages need them.
// FLAGS: -Xclang -mllvm -Xclang -prism-drop-locations
#include <sycl/khr/split_headers/queue.hpp>

template <int N>
class tree;

template <int N>
void run(sycl::queue& q, float* out, const float* x, int n) {
  q.submit([&](sycl::handler& h) {
    const sycl::local_accessor<float, 1> sums(64, h);
    h.parallel_for<tree<N>>(sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> it) {
      const int l = int(it.get_local_id(0));
      sums[l] = x[it.get_global_id(0)];
      sycl::group_barrier(it.get_group());
      for (int half = 32; half > 0; half >>= 1) {
        if (l < half) sums[l] += sums[l + half] * float(N);
        sycl::group_barrier(it.get_group());
      }
      if (l == 0) out[it.get_group(0)] = sums[0];
    });
  });
}
template <int... N>
void run_all(sycl::queue& q, float* out, const float* x, int n) {
  (run<N>(q, out, x, n), ...);
}
template void run_all<10, 11, 12, 13, 14, 15, 16, 17, 18, 19>(sycl::queue&, float*, const float*, int);
// HOST: define internal void @prism.group.prism_k0_{{[^\n(]*}}.v4
// HOST-NOT: define internal void @prism.group.prism_k9_{{[^\n(]*}}.v4
// HOST-NOT: !DILocation
