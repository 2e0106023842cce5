// Orders of elements on the host device: sorted rows, single places of an order, and the places that a mask
// names. NaN counts as the largest number. All operands lie in C order without gaps.
#pragma once

#include "kernels/array/node.hpp"

namespace prism::array_detail {

/// The longest rows that sort_rows_on_host() sorts faster than a sort of all elements.
inline constexpr std::int64_t longest_host_row = 65536;

/// Submits the sort of each of `rows` rows of `n` elements, stably.
void sort_rows_on_host(device_state& device, dtype type, const void* from, void* to, std::int64_t rows,
                       std::int64_t n, bool descending);

/// to[i] = the element that has the place ranks[i] among the `count` sorted ones. Runs on the calling thread;
/// the elements must be in memory.
void find_ranks_on_host(dtype type, const void* from, std::int64_t count, const std::int64_t* ranks,
                        std::int64_t rank_count, void* to);

/// Masks are counted in blocks, on the calling thread; the mask must be in memory.
inline constexpr std::int64_t mask_block = 16384;
inline std::int64_t blocks_of_mask(std::int64_t count) { return (count + mask_block - 1) / mask_block; }
/// Returns how many of the mask's bytes are not 0. `before` gets, for each block and for the end, how many
/// are before it.
std::int64_t count_mask_on_host(const std::uint8_t* mask, std::int64_t count, std::int64_t* before);
/// Submits positions[k] = the place of the k-th byte that is not 0.
void list_mask_on_host(device_state& device, const std::uint8_t* mask, std::int64_t count,
                       const std::int64_t* before, std::int64_t* positions);

} // namespace prism::array_detail
