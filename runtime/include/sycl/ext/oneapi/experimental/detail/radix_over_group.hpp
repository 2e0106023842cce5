// A stable radix sort by the work-items of a group, from the least significant digit: each work-item counts
// the digits of its elements, a scan of all counters gives each digit of each work-item its first place, and
// every work-item moves its elements there.
// Source: Zagha, Blelloch, Radix sort for vector multiprocessors, Supercomputing 1991.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <bitset>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/bit_cast.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {
namespace detail {

template <std::size_t Bytes>
using bits_of =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// An unsigned integer whose order is that of the numbers; -0 comes before 0.
template <typename T>
bits_of<sizeof(T)> ordered_bits(T value) {
  using bits = bits_of<sizeof(T)>;
  constexpr bits sign = static_cast<bits>(bits(1) << (sizeof(T) * CHAR_BIT - 1));
  if constexpr (std::is_same_v<T, bool>) return value ? 1 : 0;
  else {
    const bits raw = sycl::bit_cast<bits>(value);
    if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? static_cast<bits>(raw ^ sign) : raw;
    else return static_cast<bits>((raw & sign) != 0 ? ~raw : raw | sign);
  }
}

/// Which bits of ordered_bits count, and in which direction.
template <typename T, bool Descending, unsigned BitsPerPass>
struct radix_digits {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, half>, "radix sorters sort numbers");
  static_assert(BitsPerPass > 0 && BitsPerPass <= 8, "a radix sorter takes 1 to 8 bits in each pass");
  static constexpr unsigned bits = sizeof(T) * CHAR_BIT, passes = (bits + BitsPerPass - 1) / BitsPerPass;
  static constexpr std::size_t values = std::size_t(1) << BitsPerPass;

  bits_of<sizeof(T)> mask;
  std::size_t digit(T value, unsigned pass) const {
    auto key = ordered_bits(value);
    if constexpr (Descending) key = static_cast<decltype(key)>(~key);
    return static_cast<std::size_t>((key & mask) >> (pass * BitsPerPass)) & (values - 1);
  }
};

/// One pass: moves the elements [begin, end) of each of the first `active` work-items to their places.
/// `load(i)` returns element i, `key(x)` its number, `store(place, x)` writes it elsewhere.
template <typename Group, typename Digits, typename Load, typename Key, typename Store>
void radix_pass(Group group, const Digits& digits, unsigned pass, std::uint32_t* counters, std::size_t active,
                std::size_t begin, std::size_t end, Load load, Key key, Store store) {
  const std::size_t item = group.get_local_linear_id();
  if (item < active) {
    for (std::size_t d = 0; d < Digits::values; ++d) counters[d * active + item] = 0;
    for (std::size_t i = begin; i < end; ++i) ++counters[digits.digit(key(load(i)), pass) * active + item];
  }
  group_barrier(group);
  std::uint32_t* const last = counters + Digits::values * active;
  joint_exclusive_scan(group, counters, last, counters, plus<std::uint32_t>());
  group_barrier(group);
  if (item < active) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto x = load(i);
      store(counters[digits.digit(key(x), pass) * active + item]++, x);
    }
  }
  group_barrier(group);
}

/// Sorts `count` elements of each work-item, which begin at work-item * count of `shared`. `mine` is private
/// memory for `count` elements.
template <typename Group, typename T, typename Digits, typename Key>
void radix_over_group(Group group, const Digits& digits, T* shared, T* mine, std::size_t count,
                      std::uint32_t* counters, Key key) {
  const std::size_t begin = group.get_local_linear_id() * count;
  group_barrier(group);
  for (unsigned pass = 0; pass < Digits::passes; ++pass) {
    for (std::size_t k = 0; k < count; ++k) mine[k] = shared[begin + k];
    radix_pass(group, digits, pass, counters, group.get_local_linear_range(), 0, count, [=](std::size_t k) {
      return mine[k];
    }, key, [=](std::size_t at, const T& x) { shared[at] = x; });
  }
}

/// Sorts n elements that the group shares. `scratch` has memory for n more.
template <typename Group, typename Ptr, typename T, typename Digits>
void radix_jointly(Group group, const Digits& digits, Ptr first, std::size_t n, T* scratch,
                   std::uint32_t* counters) {
  const std::size_t items = group.get_local_linear_range(), item = group.get_local_linear_id();
  const std::size_t active = n < items ? n : items;
  if (n == 0) return;
  const std::size_t share = (n + active - 1) / active, begin = item * share < n ? item * share : n;
  const std::size_t end = n - begin < share ? n : begin + share;
  const auto itself = [](const T& x) { return x; };
  group_barrier(group);
  for (unsigned pass = 0; pass < Digits::passes; ++pass) {
    if (pass % 2 == 0)
      radix_pass(group, digits, pass, counters, active, begin, end, [=](std::size_t i) -> T {
        return first[i];
      }, itself, [=](std::size_t at, const T& x) { scratch[at] = x; });
    else
      radix_pass(group, digits, pass, counters, active, begin, end, [=](std::size_t i) { return scratch[i]; },
                 itself, [=](std::size_t at, const T& x) { first[at] = x; });
  }
  if constexpr (Digits::passes % 2 == 1) {
    for (std::size_t i = item; i < n; i += items) first[i] = scratch[i];
    group_barrier(group);
  }
}

}
}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental::detail

#include <sycl/detail/user_macros_restore.hpp>
