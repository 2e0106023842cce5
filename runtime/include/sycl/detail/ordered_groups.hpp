// The fixed order of folds and scans over a work-group: it depends on nothing but the number of work-items.
// The values are combined in blocks of consecutive work-items, within a block in the order of fold_values and
// scan_values (sub_group_steps.hpp), then block after block. Where one thread runs the group, all values are
// in memory, and this is the only order. Elsewhere one work-item combines a block in local memory; that is
// slow, so it is done only on request: `prism++ --reproducible`, PRISM_REPRODUCIBLE=1 or a queue's property
// (prism/reproducible.hpp). All work-items of the group must call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/optional_value.hpp>
#include <sycl/detail/sub_group_steps.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {
inline namespace _V1 {
template <typename T, int N>
class vec;
template <typename T, std::size_t N>
class marray;

namespace detail {

/// Whether sums of the type are the same in any order. A class may contain floating-point numbers.
template <typename T>
inline constexpr bool sums_exactly = std::is_integral_v<T> || std::is_enum_v<T>;
template <typename T, int N>
inline constexpr bool sums_exactly<vec<T, N>> = sums_exactly<T>;
template <typename T, std::size_t N>
inline constexpr bool sums_exactly<marray<T, N>> = sums_exactly<T>;
template <typename T>
inline constexpr bool sums_exactly<optional_value<T>> = sums_exactly<T>;

/// Whether values of the type must be combined in the fixed order.
template <typename T>
inline bool wants_fixed_order() noexcept {
  if constexpr (sums_exactly<T>) return false;
#if defined(__PRISM_REPRODUCIBLE__)
  return true;
#else
  return __prism_fixed_order();
#endif
}

/// Stated where values are combined over a sub-group.
template <typename T>
inline void orders_by_sub_group() noexcept {
  if constexpr (!sums_exactly<T>) {
#if defined(__PRISM_REPRODUCIBLE__)
    static_assert(sums_exactly<T>,
                  "prism++ --reproducible: sub-groups have other sizes on other devices, so sums of their "
                  "floating-point numbers have other roundings; use the work-group");
#endif
    __prism_order_varies(1);
  }
}

inline std::uint32_t items_of_group() noexcept {
  return static_cast<std::uint32_t>(std::size_t(__prism_local_size(0)) * __prism_local_size(1) *
                                    __prism_local_size(2));
}
inline std::uint32_t items_of_block(std::uint32_t items, std::uint32_t begin, std::uint32_t block) noexcept {
  return items - begin < block ? items - begin : block;
}

// ---- if one thread runs the whole group (sub_group_steps.hpp)

template <std::uint32_t Block, typename T, typename Combine>
inline T fold_of_thread(const T& value, std::uint32_t self, Combine combine) {
  T* const values = values_of_items<T>();
  T* const total = static_cast<T*>(__prism_value_of_group(sizeof(T)));
  values[self] = value;
  __prism_barrier(1u);
  if (self == 0) {
    const std::uint32_t items = items_of_group();
    T folded = fold_values(values, items_of_block(items, 0, Block), combine);
    for (std::uint32_t begin = Block; begin < items; begin += Block)
      folded = combine(folded, fold_values(values + begin, items_of_block(items, begin, Block), combine));
    *total = folded;
  }
  __prism_barrier(1u);
  return *total;
}

template <std::uint32_t Block, typename T, typename Combine>
inline scanned<T> scan_of_thread(const T& value, std::uint32_t self, Combine combine) {
  T* const values = values_of_items<T>();
  values[self] = value;
  __prism_barrier(1u);
  if (self == 0) {
    const std::uint32_t items = items_of_group();
    if (items <= Block) { // the usual case, alone: LLVM then keeps its loops simpler
      scan_values(values, items, combine);
    } else {
      for (std::uint32_t begin = 0; begin < items; begin += Block) {
        const std::uint32_t count = items_of_block(items, begin, Block);
        scan_values(values + begin, count, combine);
        if (begin == 0) continue;
        const T before = values[begin - 1];
        for (std::uint32_t i = 0; i < count; ++i) values[begin + i] = combine(before, values[begin + i]);
      }
    }
  }
  __prism_barrier(1u);
  const scanned<T> result{values[self], values[self == 0 ? 0 : self - 1]};
  __prism_barrier(1u);
  return result;
}

// ---- elsewhere; `block`: local memory for `Block` values

template <std::uint32_t Block, typename T, typename Combine>
inline T ordered_fold(const T& value, std::uint32_t self, T* block, Combine combine) {
  const std::uint32_t items = items_of_group();
  T total = value; // overwritten in the first iteration
  std::uint32_t begin = 0;
  do {
    const std::uint32_t count = items_of_block(items, begin, Block);
    if (self - begin < count) block[self - begin] = value;
    __prism_barrier(1u);
    if (self == 0) block[0] = fold_values(block, count, combine);
    __prism_barrier(1u);
    const T folded = block[0];
    total = begin == 0 ? folded : combine(total, folded);
    __prism_barrier(1u);
    begin += Block;
  } while (begin < items);
  return total;
}

template <std::uint32_t Block, typename T, typename Combine>
inline scanned<T> ordered_scan(const T& value, std::uint32_t self, T* block, Combine combine) {
  const std::uint32_t items = items_of_group();
  scanned<T> result{value, value};
  T carry = value; // of all earlier iterations
  std::uint32_t begin = 0;
  do {
    const std::uint32_t count = items_of_block(items, begin, Block);
    const std::uint32_t at = self - begin; // wraps around for work-items of earlier iterations
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
    begin += Block;
  } while (begin < items);
  return result;
}

/// Combines at(0) ... at(count - 1) in the order of fold_values: each partial result by one work-item, the
/// rest by the first one. Unspecified if `count` is 0.
template <typename T, typename At, typename Combine>
inline T ordered_joint_fold(At at, std::size_t count, std::uint32_t self, T* block, Combine combine) {
  constexpr std::size_t parts = fold_parts<T>;
  const std::size_t length = count / parts, apart = commutes_v<Combine> ? 1 : length,
                    step = commutes_v<Combine> ? parts : 1;
  const bool shares = parts > 1 && length > 1 && items_of_group() >= parts;
  if (shares && self < parts) {
    T part = at(self * apart);
    for (std::size_t i = 1; i < length; ++i) part = combine(part, at(i * step + self * apart));
    block[self] = part;
  }
  __prism_barrier(1u);
  if (self == 0 && count != 0) {
    T total = shares ? block[0] : fold_values<T>(at, count, combine);
    if (shares) {
      for (std::size_t k = 1; k < parts; ++k) total = combine(total, block[k]);
      for (std::size_t i = parts * length; i < count; ++i) total = combine(total, at(i));
    }
    block[0] = total;
  }
  __prism_barrier(1u);
  const T total = block[0];
  __prism_barrier(1u);
  return total;
}

}
}
} // namespace sycl::_V1::detail
