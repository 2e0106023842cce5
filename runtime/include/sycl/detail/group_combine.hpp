// Reduction and scan over a sub-group or a work-group, for the group algorithms and reductions. A work-group
// first folds its sub-groups by shuffles. One value per sub-group then goes through a small block of local
// memory. All work-items of the group must call these functions. Every call over a work-group ends with a
// barrier, so that the block can be reused immediately. Values are combined in the order of the linear ids,
// so sub-groups must consist of consecutive work-items.
//
// If sub-groups are vectors, vector_sub_groups.hpp does the rest. Otherwise, if there are more than `fan_in`
// values, one work-item per chunk combines a chunk of that many; then every work-item combines the remaining
// values. That takes three barriers for any group size. Values that do not fit together are processed in
// several rounds. Where the order must not depend on the device, ordered_groups.hpp does all. No barrier may
// depend on a condition that remains in the image, not even on that of a loop's first test: PoCL duplicates
// all code after such a barrier, for each of them.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/ordered_groups.hpp>
#include <sycl/detail/sub_group_steps.hpp>
#include <sycl/detail/vector_sub_groups.hpp>
#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

inline constexpr std::uint32_t fan_in = 32;
inline constexpr std::size_t scratch_bytes = 4096;

template <typename T>
inline constexpr std::uint32_t scratch_slots = // at most fan_in chunks
    sizeof(T) >= scratch_bytes ? 1
    : sizeof(T) <= 4           ? fan_in * fan_in
                               : static_cast<std::uint32_t>(scratch_bytes / sizeof(T));
/// Memory for one round of values, or for a single one; follows the total of vector_sub_groups.hpp.
template <typename T, std::uint32_t Slots = scratch_slots<T>>
inline T* group_scratch() noexcept {
  static_assert(alignof(T) <= 16 || sizeof(T) >= 16, "unexpected alignment of a group algorithm's value");
  void* const scratch = __prism_group_scratch(total_bytes + sizeof(T) * Slots);
  return reinterpret_cast<T*>(static_cast<std::byte*>(scratch) + total_bytes);
}

inline void local_barrier() noexcept { __prism_barrier(1u); }

/// The sub-groups whose values are in the block during one round, seen from the calling work-item.
struct scratch_round {
  std::uint32_t begin, count, own;                        // `own`: index of the caller's sub-group
  bool holds_own() const noexcept { return own < count; } // wraps around for earlier rounds
};
inline scratch_round round_at(std::uint32_t begin, std::uint32_t capacity) noexcept {
  const std::uint32_t left = __prism_sub_group_count() - begin;
  return {begin, left < capacity ? left : capacity, __prism_sub_group_id() - begin};
}

/// How many values each active work-item combines: 1 if every work-item can combine all.
inline std::uint32_t chunk_length(std::uint32_t count) noexcept { return count > fan_in ? fan_in : 1; }

/// The combination of slots[0 .. count), returned to every work-item. `self` is the linear id.
template <typename T, typename Combine>
inline T fold_slots(T* slots, std::uint32_t count, std::uint32_t self, Combine combine) {
  const std::uint32_t length = chunk_length(count), first = self * length;
  if (first < count) {
    T folded = slots[first];
    for (std::uint32_t i = first + 1; i < first + length && i < count; ++i)
      folded = combine(folded, slots[i]);
    slots[first] = folded; // no other work-item reads it here
  }
  local_barrier();
  T total = slots[0];
  for (std::uint32_t i = length; i < count; i += length) total = combine(total, slots[i]);
  return total;
}

/// The combination of `value` of all work-items in the order of their linear ids, returned to all of them.
template <typename T, std::uint32_t Slots = scratch_slots<T>, typename Combine>
inline T work_group_fold(const T& value, std::uint32_t self, Combine combine) {
  if (__prism_runs_group()) return fold_of_thread<Slots>(value, self, combine);
  T* const slots = group_scratch<T, Slots>();
  if (wants_fixed_order<T>()) return ordered_fold<Slots>(value, self, slots, combine);
  if constexpr (fits_vector_sub_groups<T>)
    if (__prism_sub_group_is_vector()) return fold_vectors<Slots>(slots, value, combine);
  const T own = sub_group_fold_to_first(value, combine);
  T total = own; // overwritten in the first round
  std::uint32_t begin = 0;
  do {
    const scratch_round round = round_at(begin, Slots);
    if (__prism_sub_group_local_id() == 0 && round.holds_own()) slots[round.own] = own;
    local_barrier();
    const T folded = fold_slots(slots, round.count, self, combine);
    total = begin == 0 ? folded : combine(total, folded);
    local_barrier();
    begin += Slots;
  } while (begin < __prism_sub_group_count());
  return total;
}

template <typename T, typename Combine>
inline scanned<T> work_group_scan(const T& value, std::uint32_t self, Combine combine) {
  if (__prism_runs_group()) return scan_of_thread<scratch_slots<T>>(value, self, combine);
  T* const slots = group_scratch<T>();
  if (wants_fixed_order<T>()) return ordered_scan<scratch_slots<T>>(value, self, slots, combine);
  const std::uint32_t lane = __prism_sub_group_local_id();
  const scanned<T> mine = sub_group_scan(value, combine);
  if constexpr (fits_vector_sub_groups<T>)
    if (__prism_sub_group_is_vector()) return scan_vectors(slots, mine, combine);
  scanned<T> result = mine;
  T carry = mine.value; // of all earlier rounds
  std::uint32_t begin = 0;
  do {
    const scratch_round round = round_at(begin, scratch_slots<T>);
    if (lane + 1 == __prism_sub_group_local_size() && round.holds_own()) slots[round.own] = mine.value;
    local_barrier();
    const std::uint32_t length = chunk_length(round.count), first = self * length;
    for (std::uint32_t k = first + 1; k < first + length && k < round.count; ++k) {
      slots[k] = combine(slots[k - 1], slots[k]);
    }
    local_barrier();
    // The values before the sub-group: earlier rounds, whole chunks, and a part of its own chunk.
    T before = carry;
    bool any = begin != 0;
    const auto take = [&](const T& next) {
      before = any ? combine(before, next) : next;
      any = true;
    };
    const std::uint32_t stop = round.holds_own() ? round.own : round.count;
    std::uint32_t i = length - 1;
    for (; i < stop; i += length) take(slots[i]);
    if (stop % length != 0) take(slots[stop - 1]);
    if (round.holds_own() && any) {
      result.previous = lane != 0 ? combine(before, mine.previous) : before;
      result.value = combine(before, mine.value);
    }
    // Only sub-groups of later rounds need it, and they combined the whole round.
    carry = before;
    local_barrier();
    begin += scratch_slots<T>;
  } while (begin < __prism_sub_group_count());
  return result;
}

// ---- the same for both kinds of group

template <int D, typename T, typename Combine>
inline T fold_over(const group<D>& g, const T& value, Combine combine) {
  return work_group_fold<T>(value, static_cast<std::uint32_t>(g.get_local_linear_id()), combine);
}
template <typename T, typename Combine>
inline T fold_over(const sub_group&, const T& value, Combine combine) {
  orders_by_sub_group<T>();
  return sub_group_fold<T>(value, combine);
}
template <int D, typename T, typename Combine>
inline scanned<T> scan_over(const group<D>& g, const T& value, Combine combine) {
  return work_group_scan<T>(value, static_cast<std::uint32_t>(g.get_local_linear_id()), combine);
}
template <typename T, typename Combine>
inline scanned<T> scan_over(const sub_group&, const T& value, Combine combine) {
  orders_by_sub_group<T>();
  return sub_group_scan<T>(value, combine);
}

}
}
} // namespace sycl::_V1::detail
