// What the compiler counted in one work-item of a kernel, for predictions. A kernel's record carries it as
// one more image, of a kind that no device accepts. Trip counts of loops may be unknown, so entry d of an
// array counts what stands inside d such loops: the total is the sum of entry[d] * trips^d.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>

namespace prism::image {

inline constexpr kind kernel_counts_kind = static_cast<kind>(100);
inline constexpr std::uint32_t kernel_counts_version = 1;
inline constexpr std::uint32_t counted_depths = 4; // deeper loops count as depth 3

struct kernel_counts {
  std::uint32_t version = kernel_counts_version;
  std::uint32_t unknown_loops = 0;
  double flops16[counted_depths] =
      {}; // additions, multiplications, divisions, roots, comparisons; a fused multiply-add counts as two
  double flops32[counted_depths] = {};
  double flops64[counted_depths] = {};
  double integer_operations[counted_depths] = {};
  double bytes_read[counted_depths] = {}; // of global memory
  double bytes_written[counted_depths] = {};
  double local_bytes[counted_depths] = {}; // read from and written to local memory
  double atomics[counted_depths] = {};
  double random_share = 0;  // of the bytes: at addresses that were loaded
  double strided_share = 0; // of the bytes: neighbours in x are not adjacent in memory
  double divergence = 0;    // share of the operations under a condition that differs between work-items
};

} // namespace prism::image
