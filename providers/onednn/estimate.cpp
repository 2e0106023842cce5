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

/// Products have their operands where they are. On one thread of a Xeon those of float with extents of 128
/// and more are the fastest of all (docs/operations-blas.md). Two threads of OpenMP wait actively for each
/// other: where other programs run, products of 100 to 160 rows took 5 ms.
estimate of_product(const prism_provider_operation& what, std::uint32_t threads) {
  const double work = prism::provider::work_of(what);
  const prism_provider_operand &a = what.operand[0], &b = what.operand[1];
  const bool is_fast = threads == 1 && a.type == PRISM_F32 && prism::provider::batch_of(what) == 1 &&
                       std::min({a.extent[0], a.extent[1], b.extent[1]}) >= 128;
  const double to_half =
      is_fast ? 3e5 : 1e5; // multiplications with half of the efficiency of a large product
  return {(is_fast ? 0.94 : 0.7) * work / (work + to_half), 3'000};
}

} // namespace

estimate estimated(const prism_provider_operation& what, std::uint32_t threads) {
  return what.operation == PRISM_GEMM ? of_product(what, threads) : of_convolution(what);
}

} // namespace prism_onednn
