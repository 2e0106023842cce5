// Shuffles, folds and scans in a sub-group, for every device-copyable type. All work-items of the sub-group
// must call these functions together, but for those that are in other iterations of the program's loops; the
// loops here have the same number of iterations in each work-item.
// Values are combined in the order of the work-items. If one thread runs the whole group, its work-items
// write their values to memory, and one of them combines all. If sub-groups are vectors of the device, it
// combines numbers by SYCL's own function objects itself, floating-point numbers in an order of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/functional.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Returns `value` of the given work-item; unspecified if it does not exist. Larger types are sent as 64-bit
/// words.
template <typename T>
inline T shuffle(const T& value, std::uint32_t lane) noexcept {
  static_assert(is_device_copyable_v<T>, "only values of device-copyable types pass between work-items");
  T result = value;
  if constexpr (sizeof(T) <= 4) {
    std::uint32_t word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    word = __prism_sub_group_shuffle_i32(word, lane);
    __builtin_memcpy(static_cast<void*>(&result), &word, sizeof(T));
  } else {
    constexpr std::size_t words = (sizeof(T) + 7) / 8;
    std::uint64_t block[words] = {};
    __builtin_memcpy(block, &value, sizeof(T));
    for (std::size_t i = 0; i < words; ++i) block[i] = __prism_sub_group_shuffle_i64(block[i], lane);
    __builtin_memcpy(static_cast<void*>(&result), block, sizeof(T));
  }
  return result;
}

// ---- if sub-groups are vectors: operations of the device

inline constexpr std::uint32_t no_device_operation = 255;
/// The number of __prism_sub_group_combine_* for a reduction of values of type T by an operation.
template <typename T, typename Op>
constexpr std::uint32_t device_operation() noexcept {
  constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  if (!(is_real || (std::is_integral_v<T> && sizeof(T) <= 8)) || !operates_on<Op, T> ||
      !has_known_identity_v<Op, T>)
    return no_device_operation;
  switch (operation_of<Op>) {
    case operation::plus: return 0;
    case operation::multiplies: return 1;
    case operation::minimum: return is_real || std::is_signed_v<T> ? 2 : 4;
    case operation::maximum: return is_real || std::is_signed_v<T> ? 3 : 5;
    case operation::bit_and:
    case operation::logical_and: return 6;
    case operation::bit_or:
    case operation::logical_or: return 7;
    case operation::bit_xor: return 8;
    default: return no_device_operation;
  }
}
template <typename Combine, typename = void>
struct operator_of {
  using type = void;
};
template <typename Combine>
struct operator_of<Combine, std::void_t<typename Combine::operator_type>> {
  using type = std::remove_cv_t<typename Combine::operator_type>;
};
/// The same for a Combine of the functions below.
template <typename T, typename Combine>
inline constexpr std::uint32_t device_operation_of =
    device_operation<T, typename operator_of<Combine>::type>();
template <typename T, typename Combine>
inline constexpr bool combines_on_device = device_operation_of<T, Combine> != no_device_operation;

inline constexpr std::uint32_t device_inclusive_scan = 16, device_exclusive_scan = 32;

template <std::uint32_t Operation, typename T>
inline T combine_on_device(T value) noexcept {
  if constexpr (std::is_same_v<T, float>) return __prism_sub_group_combine_f32(Operation, value);
  else if constexpr (std::is_same_v<T, double>) return __prism_sub_group_combine_f64(Operation, value);
  else if constexpr (sizeof(T) <= 4)
    return static_cast<T>(__prism_sub_group_combine_i32(Operation, static_cast<std::uint32_t>(value)));
  else return static_cast<T>(__prism_sub_group_combine_i64(Operation, static_cast<std::uint64_t>(value)));
}

// ---- by shuffles

/// Combines the values of the first work-items of the sub-group, at least one. Returns the result to
/// work-item 0; what the others receive is unspecified.
template <typename T, typename Combine>
inline T fold_to_first_lane(T value, std::uint32_t lanes, Combine combine) {
  if constexpr (combines_on_device<T, Combine>)
    if (__prism_sub_group_is_vector()) {
      constexpr T identity = known_identity_v<typename operator_of<Combine>::type, T>;
      return combine_on_device<device_operation_of<T, Combine>>(
          __prism_sub_group_local_id() < lanes ? value : identity);
    }
  const std::uint32_t lane = __prism_sub_group_local_id();
  for (std::uint32_t step = 1; step < __prism_sub_group_size(); step *= 2) {
    const T later = shuffle(value, lane + step);
    if (lane + step < lanes) value = combine(value, later);
  }
  return value;
}
// ---- if one thread runs the whole group: a loop over the values that the work-items stored in memory

/// Whether an operation is commutative; true for function objects that are known to be.
template <typename Combine, typename = void>
inline constexpr bool commutes_v = false;
template <typename Combine>
inline constexpr bool commutes_v<Combine, std::void_t<decltype(Combine::commutes)>> = Combine::commutes;

/// The number of partial results of fold_values.
template <typename T>
inline constexpr std::size_t fold_parts = sizeof(T) <= 8 ? 8 : 1;

/// Combines at(0) ... at(count - 1), with independent partial results, so that operations do not wait for
/// each other. A partial result is of every eighth value (the compiler makes them vectors) if the operation
/// is commutative, else of a contiguous segment. 0 < count.
template <typename T, typename At, typename Combine>
inline T fold_values(At at, std::size_t count, Combine combine) {
  constexpr std::size_t parts = fold_parts<T>;
  const std::size_t length = count / parts;
  T total = at(0);
  std::size_t done = 1;
  if constexpr (parts > 1) {
    if (length > 1) {
      const std::size_t apart = commutes_v<Combine> ? 1 : length, step = commutes_v<Combine> ? parts : 1;
      T part[parts] = {total,         at(1 * apart), at(2 * apart), at(3 * apart),
                       at(4 * apart), at(5 * apart), at(6 * apart), at(7 * apart)};
      for (std::size_t i = 1; i < length; ++i)
        for (std::size_t k = 0; k < parts; ++k) part[k] = combine(part[k], at(i * step + k * apart));
      total = part[0];
      for (std::size_t k = 1; k < parts; ++k) total = combine(total, part[k]);
      done = parts * length;
    }
  }
  for (; done < count; ++done) total = combine(total, at(done));
  return total;
}
template <typename T, typename Combine>
inline T fold_values(const T* values, std::size_t count, Combine combine) {
  return fold_values<T>([values](std::size_t i) -> const T& { return values[i]; }, count, combine);
}

/// Replaces values[i] by the combination of values[0] ... values[i].
template <typename T, typename Combine>
inline void scan_values(T* values, std::size_t count, Combine combine) {
  constexpr std::size_t pieces = sizeof(T) <= 8 ? 4 : 1;
  const std::size_t length = count / pieces;
  std::size_t done = 1;
  if (pieces > 1 && length > 1) {
    for (std::size_t i = 1; i < length; ++i)
      for (std::size_t k = 0; k < pieces; ++k)
        values[k * length + i] = combine(values[k * length + i - 1], values[k * length + i]);
    for (std::size_t k = 1; k < pieces; ++k) {
      const T before = values[k * length - 1];
      for (std::size_t i = 0; i < length; ++i)
        values[k * length + i] = combine(before, values[k * length + i]);
    }
    done = pieces * length;
  }
  for (; done < count; ++done) values[done] = combine(values[done - 1], values[done]);
}

template <typename T>
inline T* values_of_items() noexcept {
  return static_cast<T*>(__prism_values_of_items(sizeof(T)));
}
/// Returns the values of the calling work-item's sub-group.
template <typename T>
inline T* values_of_lanes() noexcept {
  return values_of_items<T>() + std::size_t(__prism_sub_group_id()) * __prism_sub_group_size();
}

// ---- if work-items of the sub-group may be missing: each of the others combines all values

inline std::uint64_t all_lanes() noexcept {
  const std::uint32_t size = __prism_sub_group_local_size();
  return size < 64 ? (std::uint64_t(1) << size) - 1 : ~std::uint64_t(0);
}

/// Combines at(i) of the work-items below `end` whose bits are set, in their order. Returns whether there is
/// one. Calls at(i) of all work-items.
template <typename T, typename At, typename Combine>
inline bool fold_lanes(T& total, At at, std::uint64_t lanes, std::uint32_t end, Combine combine) {
  bool is_any = false;
  for (std::uint32_t i = 0; i < __prism_sub_group_local_size(); ++i) {
    const T next = at(i);
    if (i >= end || (lanes >> i & 1) == 0) continue;
    total = is_any ? combine(total, next) : next;
    is_any = true;
  }
  return is_any;
}

/// fold(at) with the values of the work-items that are there, if some are missing; false if none is.
template <typename T, typename Fold>
inline bool fold_partial(const T& value, Fold fold) {
  if (!__prism_sub_group_may_be_partial()) return false;
  T* const values = __prism_runs_group() ? values_of_lanes<T>() : nullptr;
  if (values) values[__prism_sub_group_local_id()] = value;
  const std::uint64_t lanes = __prism_sub_group_ballot(true);
  if (lanes == all_lanes()) return false;
  if (values) {
    fold([values](std::uint32_t i) -> const T& { return values[i]; }, lanes);
    __prism_sub_group_barrier(3);
  } else {
    fold([&](std::uint32_t i) { return shuffle(value, i); }, lanes);
  }
  return true;
}

template <typename T, typename Combine>
inline T sub_group_fold(const T& value, Combine combine) {
  if (T total = value; fold_partial(value, [&](auto at, std::uint64_t lanes) {
    fold_lanes(total, at, lanes, ~std::uint32_t(0), combine);
  }))
    return total;
  if (__prism_runs_group()) {
    T* const values = values_of_lanes<T>();
    T* const total = static_cast<T*>(__prism_value_of_sub_group(sizeof(T)));
    const std::uint32_t lane = __prism_sub_group_local_id();
    values[lane] = value;
    __prism_sub_group_barrier(1);
    if (lane == 0) *total = fold_values(values, __prism_sub_group_local_size(), combine);
    __prism_sub_group_barrier(1);
    return *total;
  }
  if constexpr (combines_on_device<T, Combine>)
    if (__prism_sub_group_is_vector()) return combine_on_device<device_operation_of<T, Combine>>(value);
  return shuffle(fold_to_first_lane(value, __prism_sub_group_local_size(), combine), 0);
}
/// The same, returned to work-item 0; what the others receive is unspecified. Not called where one thread
/// runs the whole group.
template <typename T, typename Combine>
inline T sub_group_fold_to_first(const T& value, Combine combine) {
  if constexpr (combines_on_device<T, Combine>)
    if (__prism_sub_group_is_vector()) return combine_on_device<device_operation_of<T, Combine>>(value);
  return fold_to_first_lane(value, __prism_sub_group_local_size(), combine);
}

/// Inclusive scan; `previous` is the result of the work-item before, which makes the exclusive scan
/// (unspecified for the first work-item, and where is_first).
template <typename T>
struct scanned {
  T value, previous;
  bool is_first = false; // those before are missing
};

template <typename T, typename Combine>
inline scanned<T> sub_group_scan(T value, Combine combine) {
  const std::uint32_t lane = __prism_sub_group_local_id();
  if (scanned<T> result{value, value}; fold_partial(value, [&](auto at, std::uint64_t lanes) {
    result.is_first = !fold_lanes(result.previous, at, lanes, lane, combine);
    if (!result.is_first) result.value = combine(result.previous, value);
  }))
    return result;
  if (__prism_runs_group()) {
    T* const values = values_of_lanes<T>();
    values[lane] = value;
    __prism_sub_group_barrier(1);
    if (lane == 0) scan_values(values, __prism_sub_group_local_size(), combine);
    __prism_sub_group_barrier(1);
    const scanned<T> result{values[lane], values[lane == 0 ? 0 : lane - 1]};
    __prism_sub_group_barrier(1);
    return result;
  }
  if constexpr (combines_on_device<T, Combine>)
    if (__prism_sub_group_is_vector()) {
      constexpr std::uint32_t operation = device_operation_of<T, Combine>;
      return {combine_on_device<operation + device_inclusive_scan>(value),
              combine_on_device<operation + device_exclusive_scan>(value)};
    }
  for (std::uint32_t step = 1; step < __prism_sub_group_size(); step *= 2) {
    const T earlier = shuffle(value, lane - step);
    if (lane >= step) value = combine(earlier, value);
  }
  return {value, shuffle(value, lane - 1)};
}

}
}
} // namespace sycl::_V1::detail
