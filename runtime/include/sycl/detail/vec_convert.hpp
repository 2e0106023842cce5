// Converts one element with a rounding mode, for vec::convert. `automatic` truncates for conversions to
// integers, and rounds to nearest even for conversions to floating-point types.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <sycl/detail/same.hpp>
#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {

enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

namespace detail {

template <typename T>
inline constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, half>;

/// Returns the neighbour of `value` towards plus (up) or minus infinity. `value` must not be NaN.
template <typename Float>
inline Float neighbour(Float value, bool up) noexcept {
  using bits_type = std::conditional_t<sizeof(Float) == 2, std::uint16_t,
                                       std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>>;
  constexpr bits_type sign = static_cast<bits_type>(bits_type{1} << (8 * sizeof(Float) - 1));
  bits_type bits = bit_cast<bits_type>(value);
  if ((bits & static_cast<bits_type>(~sign)) == 0)
    return bit_cast<Float>(static_cast<bits_type>(up ? 1 : sign | 1));
  const bool grows = ((bits & sign) == 0) == up;
  bits = static_cast<bits_type>(grows ? bits + 1 : bits - 1);
  return bit_cast<Float>(bits);
}

/// Returns the sign of (rounded - exact), where `rounded` is the nearest Float to `exact`.
template <typename Float, typename From>
inline int compare_rounded(Float rounded, From exact) noexcept {
  if constexpr (is_floating<From>) {
    using wide = std::conditional_t<std::is_same_v<From, half>, float, From>;
    const wide r = static_cast<wide>(rounded), e = static_cast<wide>(exact);
    return r > e ? 1 : r < e ? -1 : 0;
  } else {
    // An N-bit type cannot represent 2^N, and half overflows to infinity.
    constexpr double limit = std::is_signed_v<From> ? (sizeof(From) == 8 ? 0x1p63 : 0x1p31)
                                                    : (sizeof(From) == 8 ? 0x1p64 : 0x1p32);
    const double r = static_cast<double>(rounded);
    if (r >= limit) return 1;
    if (r < -limit) return -1;
    using wide = std::conditional_t<std::is_signed_v<From>, std::int64_t, std::uint64_t>;
    const wide whole = static_cast<wide>(r), e = static_cast<wide>(exact);
    return whole > e ? 1 : whole < e ? -1 : 0;
  }
}

template <rounding_mode Mode, typename Float, typename From>
inline Float to_floating(From value) noexcept {
  const Float nearest = static_cast<Float>(value);
  if constexpr (detail::same<Mode, rounding_mode::automatic> || detail::same<Mode, rounding_mode::rte>) {
    return nearest;
  } else {
    if constexpr (is_floating<From>) {
      if (value != value || value - value != From(0)) return nearest; // NaN and infinities stay
    }
    const int above = compare_rounded(nearest, value);
    const bool down =
        detail::same<Mode, rounding_mode::rtn> || (detail::same<Mode, rounding_mode::rtz> && value > From(0));
    if (down) return above > 0 ? neighbour(nearest, false) : nearest;
    return above < 0 ? neighbour(nearest, true) : nearest;
  }
}

template <rounding_mode Mode, typename Integer, typename From>
inline Integer to_integer(From value) noexcept {
  using wide =
      std::conditional_t<std::is_same_v<From, double> || std::is_same_v<From, long double>, double, float>;
  wide whole = static_cast<wide>(value);
  if constexpr (detail::same<Mode, rounding_mode::rte>) whole = std::rint(whole);
  if constexpr (detail::same<Mode, rounding_mode::rtp>) whole = std::ceil(whole);
  if constexpr (detail::same<Mode, rounding_mode::rtn>) whole = std::floor(whole);
  return static_cast<Integer>(whole);
}

template <rounding_mode Mode, typename To, typename From>
inline To convert_element(From value) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_floating<To>) {
    return to_floating<Mode, To>(value);
  } else if constexpr (is_floating<From>) {
    return to_integer<Mode, To>(value);
  } else {
    return static_cast<To>(value);
  }
}

} // namespace detail

}
} // namespace sycl::_V1
