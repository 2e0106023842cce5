// Folds and scans of work-groups whose order depends on nothing but the size of the group, for programs
// compiled with `prism++ --reproducible`. Values are combined in blocks of consecutive work-items: in a block
// in the order of fold_values and scan_values (sub_group_steps.hpp), then block after block. One work-item
// combines a block. Where one thread runs the group all values are in memory anyway; otherwise a block goes
// through local memory. All work-items of the group must call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/sub_group_steps.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Values in a block: at most 8 KiB of local memory.
template <typename T>
inline constexpr std::uint32_t ordered_block =
    sizeof(T) <= 8      ? 1024
    : sizeof(T) >= 8192 ? 1
                        : static_cast<std::uint32_t>(8192 / sizeof(T));

inline std::uint32_t ordered_items() noexcept {
  return static_cast<std::uint32_t>(std::size_t(__prism_local_size(0)) * __prism_local_size(1) *
                                    __prism_local_size(2));
}

/// Blocks are folded by `self` == 0 and, where one thread runs the group, read from the context array.
template <typename T, typename Combine>
inline T ordered_fold_of_thread(const T& value, std::uint32_t self, Combine combine) {
  T* const values = values_of_items<T>();
  T* const total = static_cast<T*>(__prism_value_of_group(sizeof(T)));
  values[self] = value;
  __prism_barrier(1u);
  if (self == 0) {
    const std::uint32_t items = ordered_items();
    for (std::uint32_t begin = 0; begin < items; begin += ordered_block<T>) {
      const std::uint32_t left = items - begin, count = left < ordered_block<T> ? left : ordered_block<T>;
      const T block = fold_values(values + begin, count, combine);
      *total = begin == 0 ? block : combine(*total, block);
    }
  }
  __prism_barrier(1u);
  return *total;
}

template <typename T, typename Combine>
inline T ordered_fold(const T& value, std::uint32_t self, T* block, Combine combine) {
  const std::uint32_t items = ordered_items();
  T total = value; // overwritten in the first round
  std::uint32_t begin = 0;
  do {
    const std::uint32_t left = items - begin, count = left < ordered_block<T> ? left : ordered_block<T>;
    if (self - begin < count) block[self - begin] = value;
    __prism_barrier(1u);
    if (self == 0) block[0] = fold_values(block, count, combine);
    __prism_barrier(1u);
    const T folded = block[0];
    total = begin == 0 ? folded : combine(total, folded);
    __prism_barrier(1u);
    begin += ordered_block<T>;
  } while (begin < items);
  return total;
}

template <typename T, typename Combine>
inline scanned<T> ordered_scan_of_thread(const T& value, std::uint32_t self, Combine combine) {
  T* const values = values_of_items<T>();
  values[self] = value;
  __prism_barrier(1u);
  if (self == 0) {
    const std::uint32_t items = ordered_items();
    for (std::uint32_t begin = 0; begin < items; begin += ordered_block<T>) {
      const std::uint32_t left = items - begin, count = left < ordered_block<T> ? left : ordered_block<T>;
      scan_values(values + begin, count, combine);
      if (begin != 0)
        for (std::uint32_t i = 0; i < count; ++i)
          values[begin + i] = combine(values[begin - 1], values[begin + i]);
    }
  }
  __prism_barrier(1u);
  const scanned<T> result{values[self], values[self == 0 ? 0 : self - 1]};
  __prism_barrier(1u);
  return result;
}

template <typename T, typename Combine>
inline scanned<T> ordered_scan(const T& value, std::uint32_t self, T* block, Combine combine) {
  const std::uint32_t items = ordered_items();
  scanned<T> result{value, value};
  T carry = value; // of all earlier rounds
  std::uint32_t begin = 0;
  do {
    const std::uint32_t left = items - begin, count = left < ordered_block<T> ? left : ordered_block<T>;
    const std::uint32_t at = self - begin; // wraps around for work-items of earlier rounds
    if (at < count) block[at] = value;
    __prism_barrier(1u);
    if (self == 0) scan_values(block, count, combine);
    __prism_barrier(1u);
    if (at < count) {
      result.value = begin == 0 ? block[at] : combine(carry, block[at]);
      result.previous = at == 0 ? carry : begin == 0 ? block[at - 1] : combine(carry, block[at - 1]);
    }
    carry = begin == 0 ? block[count - 1] : combine(carry, block[count - 1]);
    __prism_barrier(1u);
    begin += ordered_block<T>;
  } while (begin < items);
  return result;
}

/// Sub-groups have other sizes on other devices, so results of floating-point numbers would depend on them.
template <typename T>
inline constexpr bool has_ordered_sub_groups = !std::is_floating_point_v<T> && !std::is_same_v<T, half>;

}
}
} // namespace sycl::_V1::detail
