// An nd_range of halves without a guard has a copy for processors that convert halves (F16C, which comes with
// AVX2): on others each conversion is a call, which took 150 times as long.
#include <sycl/khr/split_headers/half.hpp>
#include <sycl/khr/split_headers/queue.hpp>

void scale(sycl::queue& q, sycl::half* y, const sycl::half* x, sycl::half a, int n) {
  q.parallel_for<class scaled>(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
    const auto i = it.get_global_id(0);
    y[i] = a * x[i] + y[i];
  });
}
// HOST: define internal void @prism.group.prism_k0_{{[^\n(]*}}.v3
// HOST: <8 x half>
