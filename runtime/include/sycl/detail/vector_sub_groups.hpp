// Reduction and scan over a work-group whose sub-groups are SIMD vectors of the device
// (__prism_sub_group_is_vector), for group_combine.hpp. Operations of the device or shuffles combine the
// values of each sub-group. Then the first sub-group combines one value of each sub-group; each of its
// work-items combines adjacent ones. The order of the linear ids is preserved.
//
// All other sub-groups wait at the second of two barriers and then read one value. They do not combine the
// values of all sub-groups themselves, because llvmpipe reads memory that work-items share one element at a
// time: 32 values per work-item took 90 ns.
#pragma once

#include <cstddef>
#include <cstdint>

#include <sycl/detail/sub_group_steps.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

inline constexpr std::uint32_t most_vector_sub_groups = 256;

template <typename T>
inline constexpr bool fits_vector_sub_groups = sizeof(T) <= 8; // 2 KiB of local memory

/// Memory that is only written and read between the two barriers, so that a call needs no barrier at its end.
/// It begins with the total of a fold, at an address that is known to be uniform. One value per sub-group
/// follows.
inline constexpr std::size_t total_bytes = 16;
template <typename T>
inline T* total_of_group() noexcept {
  return static_cast<T*>(__prism_group_scratch(total_bytes));
}
/// For a scan: the value before each sub-group. Separate from the memory in which the next call stores its
/// values.
template <typename T>
inline T* sums_of_sub_groups() noexcept {
  constexpr std::uint64_t key = 0x7363616e73756d73;
  return static_cast<T*>(__prism_group_memory(key, sizeof(T) * most_vector_sub_groups));
}

/// The values, of `count`, that the calling work-item of the first sub-group combines, and the number of
/// work-items that combine any.
struct lane_share {
  std::uint32_t begin, end, lanes;
};
inline lane_share share_of_lane(std::uint32_t count) noexcept {
  const std::uint32_t size = __prism_sub_group_size(), length = (count + size - 1) / size;
  const std::uint32_t begin = __prism_sub_group_local_id() * length, end = begin + length;
  return {begin, end < count ? end : count, (count + length - 1) / length};
}

/// The combination of slots[0 .. count), returned to work-item 0 of the only sub-group that calls this.
template <typename T, typename Combine>
inline T fold_by_lanes(const T* slots, std::uint32_t count, Combine combine) {
  const lane_share mine = share_of_lane(count);
  T folded = slots[mine.begin < count ? mine.begin : 0];
  for (std::uint32_t i = mine.begin + 1; i < mine.end; ++i) folded = combine(folded, slots[i]);
  return fold_to_first_lane(folded, mine.lanes, combine);
}

/// The combination of `value` of all work-items, returned to all of them. `slots`: memory for `Slots`
/// sub-groups; further ones are processed in more rounds.
template <std::uint32_t Slots, typename T, typename Combine>
inline T fold_vectors(T* slots, const T& value, Combine combine) {
  T* const total = total_of_group<T>();
  const std::uint32_t own = __prism_sub_group_id(), count = __prism_sub_group_count();
  const bool is_first_lane = __prism_sub_group_local_id() == 0;
  const T of_sub_group = sub_group_fold_to_first(value, combine);
  std::uint32_t begin = 0;
  do {
    if (is_first_lane && own - begin < Slots) slots[own - begin] = of_sub_group;
    __prism_barrier(1u);
    if (own == 0) {
      const T folded = fold_by_lanes<T>(slots, count - begin < Slots ? count - begin : Slots, combine);
      if (is_first_lane) *total = begin == 0 ? folded : combine(*total, folded);
    }
    __prism_barrier(1u);
    begin += Slots;
  } while (Slots < most_vector_sub_groups && begin < count);
  return *total;
}

/// Sets sums[i] to the combination of slots[0] ... slots[i], for i < count. Only one sub-group calls this.
template <typename T, typename Combine>
inline void scan_by_lanes(T* slots, T* sums, std::uint32_t count, Combine combine) {
  const lane_share mine = share_of_lane(count);
  T running = slots[mine.begin < count ? mine.begin : 0];
  for (std::uint32_t i = mine.begin + 1; i < mine.end; ++i) slots[i] = running = combine(running, slots[i]);
  const std::uint32_t lane = __prism_sub_group_local_id();
  const T before = sub_group_scan(running, combine).previous;
  for (std::uint32_t i = mine.begin; i < mine.end; ++i)
    sums[i] = lane == 0 ? slots[i] : combine(before, slots[i]);
}

/// The scan's result for the calling work-item, from `mine`, the result within its sub-group. `slots`: memory
/// for most_vector_sub_groups.
template <typename Scanned, typename T, typename Combine>
inline Scanned scan_vectors(T* slots, const Scanned& mine, Combine combine) {
  T* const sums = sums_of_sub_groups<T>();
  const std::uint32_t own = __prism_sub_group_id(), lane = __prism_sub_group_local_id();
  if (lane + 1 == __prism_sub_group_local_size()) slots[own] = mine.value;
  __prism_barrier(1u);
  if (own == 0) scan_by_lanes(slots, sums, __prism_sub_group_count(), combine);
  __prism_barrier(1u);
  if (own == 0) return mine;
  const T before = sums[own - 1];
  return {combine(before, mine.value), lane != 0 ? combine(before, mine.previous) : before};
}

}
}
} // namespace sycl::_V1::detail
