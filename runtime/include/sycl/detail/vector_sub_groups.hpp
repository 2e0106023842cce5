// Reduction and scan over a work-group whose sub-groups are vectors of the device's lanes
// (__prism_sub_group_is_vector), under group_combine.hpp: shuffles combine the values of each sub-group, then
// the first sub-group combines one value of each, of which a lane takes neighbours. The order of the linear
// ids is kept.
//
// All others wait meanwhile at the second of two barriers and then read one value. They do not combine what
// all sub-groups left by themselves: llvmpipe reads memory that work-items share lane by lane, so that 32
// values a work-item took 90 ns.
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

/// Memory that is written and read between the two barriers only, so that a call needs none at its end.
/// First the total of a fold, at an address that all know to be the same; behind it one value a sub-group.
inline constexpr std::size_t total_bytes = 16;
template <typename T>
inline T* total_of_group() noexcept {
  return static_cast<T*>(__prism_group_scratch(total_bytes));
}
/// Of the scan: what comes before each sub-group. Not where the next call leaves its values.
template <typename T>
inline T* sums_of_sub_groups() noexcept {
  constexpr std::uint64_t key = 0x7363616e73756d73;
  return static_cast<T*>(__prism_group_memory(key, sizeof(T) * most_vector_sub_groups));
}

/// The values that the calling lane of the first sub-group takes, of `count`, and how many lanes take any.
struct lane_share {
  std::uint32_t begin, end, lanes;
};
inline lane_share share_of_lane(std::uint32_t count) noexcept {
  const std::uint32_t size = __prism_sub_group_size(), length = (count + size - 1) / size;
  const std::uint32_t begin = __prism_sub_group_local_id() * length, end = begin + length;
  return {begin, end < count ? end : count, (count + length - 1) / length};
}

/// slots[0 .. count) combined, given to lane 0 of the only sub-group that calls this.
template <typename T, typename Combine>
inline T fold_by_lanes(const T* slots, std::uint32_t count, Combine combine) {
  const lane_share mine = share_of_lane(count);
  T folded = slots[mine.begin < count ? mine.begin : 0];
  for (std::uint32_t i = mine.begin + 1; i < mine.end; ++i) folded = combine(folded, slots[i]);
  return fold_to_first_lane(folded, mine.lanes, combine);
}

/// `value` of all work-items combined, given to all of them. `slots`: memory for `Slots` sub-groups; more of
/// them go through in rounds.
template <std::uint32_t Slots, typename T, typename Combine>
inline T fold_vectors(T* slots, const T& value, Combine combine) {
  T* const total = total_of_group<T>();
  const std::uint32_t own = __prism_sub_group_id(), count = __prism_sub_group_count();
  const bool is_first_lane = __prism_sub_group_local_id() == 0;
  const T of_sub_group = fold_to_first_lane(value, __prism_sub_group_local_size(), combine);
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

/// sums[i] = slots[0] ... slots[i] combined, for i < count, by the only sub-group that calls this.
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

/// The scan's result for the calling work-item from that of its sub-group, `mine`. `slots`: memory for
/// most_vector_sub_groups.
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
