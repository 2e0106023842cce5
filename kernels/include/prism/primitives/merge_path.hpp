// Merges two sorted sequences by several work-items, each of which finds its ranges of both by binary search.
// S. Odeh et al., "Merge path: parallel merging made simple" (2012). A work-item merges from both ends at
// once, without branches on the keys, so that the two ends do not wait for each other. O. Peters, "Quadsort"
// (2021).
#pragma once

#include <prism/primitives/operand.hpp>

#include <cstdint>

namespace prism::primitives::detail {

/// How many of the first `count` elements of the merged sequence are from a. Of equal elements those of a
/// come first.
template <typename A, typename B, typename Compare>
std::size_t merge_path(const A& a, std::size_t a_count, const B& b, std::size_t b_count, std::size_t count,
                       const Compare& before) {
  std::size_t low = count > b_count ? count - b_count : 0, high = count < a_count ? count : a_count;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (before(b[count - 1 - middle], a[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Merges a[0, a_count) and b[0, b_count). Calls move(k, from_a, i) once for each position k of the result,
/// where element i of a or b belongs at k.
template <typename A, typename B, typename Compare, typename Move>
void merge_serially(const A& a, std::size_t a_count, const B& b, std::size_t b_count, const Compare& before,
                    const Move& move) {
  std::size_t i = 0, j = 0, i_end = a_count, j_end = b_count, k = 0, k_end = a_count + b_count;
  for (;;) {
    const std::size_t a_left = i_end - i, b_left = j_end - j;
    const std::size_t steps = (a_left < b_left ? a_left : b_left) / 2;
    if (steps == 0) break;
    for (std::size_t s = 0; s < steps; ++s) { // no step takes more than two elements of one sequence
      const bool from_b = PRISM_UNPREDICTABLE(before(b[j], a[i])),
                 last_of_a = PRISM_UNPREDICTABLE(before(b[j_end - 1], a[i_end - 1]));
      move(k++, !from_b, PRISM_UNPREDICTABLE(from_b) ? j : i);
      move(--k_end, last_of_a, PRISM_UNPREDICTABLE(last_of_a) ? i_end - 1 : j_end - 1);
      j += from_b ? 1 : 0, i += from_b ? 0 : 1;
      i_end -= last_of_a ? 1 : 0, j_end -= last_of_a ? 0 : 1;
    }
  }
  while (i < i_end && j < j_end) {
    const bool from_b = before(b[j], a[i]);
    move(k++, !from_b, from_b ? j : i);
    j += from_b ? 1 : 0, i += from_b ? 0 : 1;
  }
  for (; i < i_end; ++i) move(k++, true, i);
  for (; j < j_end; ++j) move(k++, false, j);
}

} // namespace prism::primitives::detail
