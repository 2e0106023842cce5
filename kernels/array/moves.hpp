// Kernels that move elements to and from positions, and order them (moves.cpp). All operands lie in C order
// without gaps; positions are int64 and in range.
#pragma once

#include "kernels/array/node.hpp"

#include <prism/array/functions.hpp>

namespace prism::array_detail {

/// to[i] = from[positions[i]], of elements of `bytes` bytes: 1, 2, 4, 8 or 16.
void run_gather(device_state& device, const void* from, const std::int64_t* positions, void* to,
                std::int64_t count, std::size_t bytes);
/// The same of rows of `row` neighbours, whose first ones are at the positions.
void run_gather_rows(device_state& device, const void* from, const std::int64_t* positions, void* to,
                     std::int64_t count, std::int64_t row, std::size_t bytes);
/// to[positions[i]] = from[i]. Of equal positions, any.
void run_scatter(device_state& device, const void* from, const std::int64_t* positions, void* to,
                 std::int64_t count, std::size_t bytes);
/// positions[ends[i] - 1] = i where mask[i]; `ends` is the running count of the mask.
void run_compact(device_state& device, const std::uint8_t* mask, const std::int64_t* ends,
                 std::int64_t* positions, std::int64_t count);
/// Numbers that compare as unsigned integers as the elements do, with NaN last and -0 equal to 0.
void run_keys(device_state& device, const void* from, dtype type, std::uint64_t* keys, std::int64_t count,
              bool descending);
/// The permutation that sorts the keys stably: places[i] begins as i.
void run_sort(device_state& device, std::uint64_t* keys, std::int64_t* places, std::int64_t count);
/// The k least keys in order, and their positions; of equal keys those with the lower ones.
void run_topk(device_state& device, const std::uint64_t* keys, std::int64_t count, std::uint64_t* least,
              std::int64_t* places, std::int64_t k);
/// places[i] = the first position in `sorted` whose key is not less than values[i], or greater.
void run_search(device_state& device, const std::uint64_t* sorted, std::int64_t extent,
                const std::uint64_t* values, std::int64_t* places, std::int64_t count, bool right);
/// counts[k] = how many numbers are k, from 0 to count - 1; other numbers do not count.
void run_bincount(device_state& device, const std::int64_t* numbers, std::int64_t n, std::int64_t* counts,
                  std::int64_t count);
/// counts[b] = how many elements are in [edges[b], edges[b + 1]), of float32, float64 or int64. `is_even`:
/// the edges have equal distances, but for rounding; of floating-point numbers.
void run_histogram(device_state& device, dtype type, const void* from, std::int64_t n, const void* edges,
                   std::int64_t* counts, std::int64_t bins, bool is_even);
/// Running sums: rows of `elements`, C order, in the arithmetic's own type, in place.
void run_scan(device_state& device, arithmetic kind, void* data, std::int64_t rows, std::int64_t elements);
/// The same by sum, prod, min or max of the elements since the last one where begins[i] is not 0.
void run_segmented_scan(device_state& device, arithmetic kind, reduction_op op, void* data,
                        const std::uint8_t* begins, std::int64_t elements);

} // namespace prism::array_detail
