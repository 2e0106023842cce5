// Work-group reduction and scan over a small block of local memory; used by the group algorithms (hidden scratch) and
// by reductions (a local_accessor). All work-items of the group must call these with the same `slots`, `capacity` and
// `items`; every call ends with a barrier, so that the block may be used again at once.
//
// Values go through the block in rounds of `capacity` items. Of a round, at most `combiners` work-items fold a chunk
// each, then everyone folds the chunks: three barriers a round whatever the group's size. No barrier stands under a
// condition, not even that of a loop's first test: POCL duplicates all that follows such a barrier, for each of them.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/kernel_abi.hpp>

namespace sycl { inline namespace _V1 { namespace detail {

inline constexpr std::size_t combiners = 16;
inline constexpr std::size_t scratch_bytes = 4096;

template <typename T>
inline constexpr std::size_t scratch_slots = sizeof(T) >= scratch_bytes ? 1 : scratch_bytes / sizeof(T);
template <typename T>
inline T* group_scratch() noexcept {
  static_assert(alignof(T) <= 16 || sizeof(T) >= 16, "unexpected alignment of a group algorithm's value");
  return static_cast<T*>(__prism_group_scratch(sizeof(T) * scratch_slots<T>));
}

inline void local_barrier() noexcept { __prism_barrier(1u); }

struct chunk {
  std::size_t begin, end;
};
inline std::size_t chunk_length(std::size_t count) noexcept { return (count + combiners - 1) / combiners; }
/// The part of a round of `count` values that combiner `which` folds; empty for the last ones of a short round.
inline chunk chunk_of(std::size_t which, std::size_t count) noexcept {
  const std::size_t length = chunk_length(count);
  const std::size_t begin = which * length < count ? which * length : count;
  return {begin, begin + length < count ? begin + length : count};
}

/// `value` of all `items` work-items combined in order of their linear id, given to all of them.
template <typename T, typename Combine>
inline T group_fold(T* slots, std::size_t capacity, std::size_t self, std::size_t items, T value, Combine combine) {
  T total = value; // overwritten in the first round
  std::size_t first = 0;
  do {
    const std::size_t count = items - first < capacity ? items - first : capacity;
    if (self >= first && self < first + count) slots[self - first] = value;
    local_barrier();
    const chunk own = chunk_of(self, count);
    if (self < combiners && own.begin < own.end) {
      T folded = slots[own.begin];
      for (std::size_t i = own.begin + 1; i < own.end; ++i) folded = combine(folded, slots[i]);
      slots[own.begin] = folded; // the chunk's first slot: no other combiner reads it
    }
    local_barrier();
    T round = slots[0];
    const std::size_t length = chunk_length(count);
    for (std::size_t next = length; next < count; next += length) round = combine(round, slots[next]);
    total = first == 0 ? round : combine(total, round);
    local_barrier();
    first += capacity;
  } while (first < items);
  return total;
}

/// Inclusive scan in order of the linear id. `previous` receives the value of the work-item before (unchanged for the
/// first), which makes the exclusive scan.
template <typename T, typename Combine>
inline T group_scan(T* slots, std::size_t capacity, std::size_t self, std::size_t items, T value, T& previous,
                    Combine combine) {
  T result = value, carry = value;
  std::size_t first = 0;
  do {
    const std::size_t count = items - first < capacity ? items - first : capacity;
    const bool mine = self >= first && self < first + count;
    const std::size_t place = self - first;
    if (mine) slots[place] = value;
    local_barrier();
    const chunk own = chunk_of(self, count);
    if (self < combiners && own.begin < own.end) {
      for (std::size_t i = own.begin + 1; i < own.end; ++i) slots[i] = combine(slots[i - 1], slots[i]);
    }
    local_barrier();
    // Everything before this round, then the whole chunks before the work-item's, then its own chunk up to it.
    T before = carry;
    bool any = first != 0;
    const std::size_t length = chunk_length(count);
    for (std::size_t begin = 0; begin < count; begin += length) {
      const chunk part{begin, begin + length < count ? begin + length : count};
      const bool holds = mine && place >= part.begin && place < part.end;
      if (holds) {
        if (place > part.begin) {
          previous = any ? combine(before, slots[place - 1]) : slots[place - 1];
        } else if (any) {
          previous = before;
        }
        result = any ? combine(before, slots[place]) : slots[place];
      }
      before = any ? combine(before, slots[part.end - 1]) : slots[part.end - 1];
      any = true;
    }
    carry = before;
    local_barrier();
    first += capacity;
  } while (first < items);
  return result;
}

}}} // namespace sycl::_V1::detail
