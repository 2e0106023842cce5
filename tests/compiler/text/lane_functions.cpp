// Mathematical functions in loops over work-items are vectors: of 16 floats in copies for AVX-512. Arguments
// that the vectors do not cover go to the mathematical library one by one, in a branch.
#include <sycl/sycl.hpp>

void exponentials(sycl::queue& q, float* x, std::size_t n) {
  q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { x[i] = sycl::exp(x[i]); });
}

void logarithms(sycl::queue& q, float* x) {
  q.parallel_for(sycl::nd_range<1>(4096, 64), [=](sycl::nd_item<1> item) {
    const std::size_t i = item.get_global_id(0);
    if (x[i] < 5) x[i] = 1 / (1 + sycl::log(x[i]));
  });
}

// HOST: .whole.v4(
// HOST: fmul <{{[0-9]+}} x double>
// HOST: .v4(
// HOST: fmul <16 x float>
// HOST: icmp {{(eq|ne)}} i16 {{%[0-9]+}}, 0
// HOST: call {{.*}}@logf(
// HOST-NOT: __prism_rare_
// HOST-NOT: __prism_lane_
// HOST-NOT: vector-function-abi-variant
