// The end of a fold whose results are computed in parts: the work-items that end last combine the values of
// the parts, so that a fold is one launch. Parts are combined in blocks of parts_of_block neighbours, then
// the values of the blocks, so that no work-item reads many of them; the order depends on the number of parts
// only. (Last-block reduction: CUDA samples, threadFenceReduction.)
#pragma once

#include <sycl/sycl.hpp>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::array_detail {

constexpr std::int64_t parts_of_block = 32;

/// Parts of one block, but the last may have less.
constexpr std::int64_t part_blocks(std::int64_t parts) {
  return (parts + parts_of_block - 1) / parts_of_block;
}
/// The counters of one result: of the ended parts of each block, and of the blocks that are combined.
constexpr std::int64_t counters_of_result(std::int64_t parts) { return part_blocks(parts) + 1; }

/// Whether the other `count` - 1 work-items of the counter have ended; it is 0 again then.
inline bool is_last(std::int32_t& counter, std::int64_t count) {
  const sycl::atomic_ref<std::int32_t, sycl::memory_order::acq_rel, sycl::memory_scope::device,
                         sycl::access::address_space::global_space>
      ended(counter);
  if (ended.fetch_add(1) + 1 != count) return false;
  counter = 0;
  return true;
}

/// Counts `part`, whose value is stored, among the ended ones. `combine(begin, step, end)` combines the
/// values of the parts begin, begin + step, ... below `end` into that of `begin`. True for the work-item that
/// combined all, into part 0.
template <typename Combine>
inline bool combine_ended_parts(std::int32_t* counters, std::int64_t parts, std::int64_t part,
                                const Combine& combine) {
  const std::int64_t blocks = part_blocks(parts), block = part / parts_of_block;
  std::int64_t begin = block * parts_of_block, step = 1, end = sycl::min(begin + parts_of_block, parts);
  std::int32_t* counter = counters + block;
  for (bool is_done = false; !is_done;) { // one loop for both levels, since drivers copy code of each
    if (!is_last(*counter, (end - begin + step - 1) / step)) return false;
    combine(begin, step, end);
    is_done = blocks == 1 || step > 1;
    begin = 0, step = parts_of_block, end = parts, counter = counters + blocks;
  }
  return true;
}

} // namespace prism::array_detail

#include <sycl/detail/user_macros_restore.hpp>
