// What the compiler counted in a kernel, for predictions: carried in a kernel's record as one more image, of
// a kind that no device accepts. Of one work-item. Loops whose trip count the compiler does not know multiply
// what is inside them: entry d of an array is what stands inside d of them, so the whole is the sum of
// entry[d] * trips^d.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>

namespace prism::image {

inline constexpr kind kernel_counts_kind = static_cast<kind>(100);
inline constexpr std::uint32_t kernel_counts_version = 1;
inline constexpr std::uint32_t counted_depths = 4; // deeper loops count as the last

struct kernel_counts {
  std::uint32_t version = kernel_counts_version;
  std::uint32_t unknown_loops = 0;
  double flops16[counted_depths] =
      {}; // additions, multiplications, divisions, roots, comparisons; a fused one is two
  double flops32[counted_depths] = {};
  double flops64[counted_depths] = {};
  double integer_operations[counted_depths] = {};
  double bytes_read[counted_depths] = {}; // of global memory
  double bytes_written[counted_depths] = {};
  double local_bytes[counted_depths] = {}; // read and written in the work-group's memory
  double atomics[counted_depths] = {};
  double random_share = 0;  // of the bytes: at addresses that were loaded
  double strided_share = 0; // of the bytes: neighbours in x are not neighbours in memory
  double divergence =
      0; // share of the operations that stand behind a condition which differs between work-items
};

} // namespace prism::image
