#include "kernels/blas/estimate.hpp"

#include "kernels/provider/operation.hpp"

namespace prism::blas {

own_estimate estimated(const prism_provider_operation& what, const own_device& on) {
  const bool products = what.operation >> 8 == 3, decomposes = what.operation >> 8 == 4,
             transforms = what.operation >> 8 == 5;
  if (transforms) {
    // A transform alone of few points cannot fill vectors; docs/operations-fft.md has the measurements.
    const bool fills = provider::batch_of(what) >= 16 || provider::work_of(what) > 50'000;
    return {!on.is_host ? 0.01 : fills ? 0.1 : 0.03, on.is_host ? 3'000.0 : 20'000.0};
  }
  if (what.operation == PRISM_CONV2D) {
    // Measured as providers/onednn/estimate.cpp says: 18 of 34 products a nanosecond; depthwise ones, of
    // which each reads as many numbers, 5.5, and 24 where kernels/nn/planes_kernel.hpp has the windows.
    const std::int64_t size = what.operand[1].extent[2];
    const bool is_depthwise =
        what.operand[0].extent[1] == what.groups && what.operand[2].extent[1] == what.groups;
    bool has_planes =
        is_depthwise && what.operand[1].extent[3] == size && (size == 3 || size == 5 || size == 7);
    for (int d = 0; d < 2; ++d)
      has_planes = has_planes && what.window_stride[d] == 1 && what.window_dilation[d] == 1;
    if (on.is_host && has_planes) return {0.7, 4'000.0};
    return {!on.is_host ? 0.05 : is_depthwise ? 0.16 : 0.53, on.is_host ? 17'000.0 : 40'000.0};
  }
  const bool is_wide = on.is_host && provider::is_large_real_product(what) && on.has_wide_vectors,
             is_double = what.operand[0].type == PRISM_F64;
  // Below OpenBLAS's for large products, above it in between (measured, docs/operations-blas.md).
  const double work = is_wide ? provider::work_of(what) : 0;
  const bool is_between = work >= 3e6 && work <= (is_double ? 5.7e7 : 1.34e8);
  return {is_wide      ? (is_between  ? 0.87
                          : is_double ? 0.8
                                      : 0.84)
          : decomposes ? 0.05
          : products   ? (on.is_cpu ? 0.5 : 0.1)
                       : 0.1,
          on.is_host ? 3'000.0 : 20'000.0};
}

} // namespace prism::blas
