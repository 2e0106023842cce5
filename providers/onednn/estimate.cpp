#include "providers/onednn/estimate.hpp"

#include "kernels/provider/operation.hpp"

#include <algorithm>

namespace prism_onednn {
namespace {

/// n, up to whole vectors of 8.
double padded(std::int64_t n) {
  const std::int64_t vectors = (n + 7) / 8;
  return double(vectors * 8);
}

/// Measured on one thread of an EPYC with AVX2, 30 November 2026: some 34 products a nanosecond, fewer where
/// the results have one or two blocks of 8 channels, which few sums in registers share. Images are copied to
/// blocks of 8 channels and back, also where there are fewer; a block of up to four channels that are read is
/// not computed in full. Depthwise convolutions have blocks of groups. The figures are relative to 34
/// products, as those of own kernels (kernels/blas/estimate.cpp) are, and to the same nominal peak.
estimate of_convolution(const prism_provider_operation& what) {
  constexpr double of_byte = 5, start = 32'000; // products in the time of copying a byte; nanoseconds
  const prism_provider_operand &x = what.operand[0], &w = what.operand[1], &y = what.operand[2];
  const std::int64_t channels = x.extent[1] / what.groups, filters = y.extent[1] / what.groups, few = 4;
  const bool is_depthwise = channels == 1 && filters == 1;
  const double more_channels = is_depthwise      ? padded(what.groups) / double(what.groups)
                               : channels <= few ? 1
                                                 : padded(channels) / double(channels),
               more_filters = is_depthwise ? 1 : padded(filters) / double(filters),
               speed = is_depthwise || filters > 16 ? 1
                       : filters > 8                ? 0.82
                                                    : 0.6;
  const auto bytes = [](const prism_provider_operand& a) {
    return 4.0 * double(a.extent[0]) * double(a.extent[1]) * double(a.extent[2]) * double(a.extent[3]);
  };
  const double images = bytes(x) * padded(x.extent[1]) / double(x.extent[1]) +
                        bytes(y) * padded(y.extent[1]) / double(y.extent[1]) + bytes(w);
  const double work = prism::provider::work_of(what);
  return {work / (work * more_channels * more_filters / speed + of_byte * images), start};
}

/// Products have their operands where they are.
estimate of_product(const prism_provider_operation& what) {
  const double work = prism::provider::work_of(what);
  constexpr double to_half = 1e5; // multiplications with half of the efficiency of a large product
  return {0.7 * work / (work + to_half), 3'000};
}

} // namespace

estimate estimated(const prism_provider_operation& what) {
  return what.operation == PRISM_GEMM ? of_product(what) : of_convolution(what);
}

} // namespace prism_onednn
