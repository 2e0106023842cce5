// The functions of SYCL 2020, "Integer functions", for scalars, vec and marray. They do not use 128-bit
// integers: wide products are computed from halves.
#pragma once

#include <limits>

#include <sycl/detail/math_map.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

template <typename T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <typename T>
using to_unsigned = std::make_unsigned_t<T>;
template <typename T>
inline constexpr int bits_of = static_cast<int>(8 * sizeof(T));

template <typename T>
inline T abs_int(T x) {
  if constexpr (std::is_signed_v<T>)
    return x < 0 ? static_cast<T>(to_unsigned<T>(0) - static_cast<to_unsigned<T>>(x)) : x;
  else return x;
}
template <typename T>
inline to_unsigned<T> abs_diff_int(T x, T y) {
  using U = to_unsigned<T>;
  return static_cast<U>(x < y ? static_cast<U>(y) - static_cast<U>(x)
                              : static_cast<U>(x) - static_cast<U>(y));
}
template <typename T>
inline T add_sat_int(T x, T y) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    if (y > 0 && x > limits::max() - y) return limits::max();
    if (y < 0 && x < limits::min() - y) return limits::min();
    return static_cast<T>(x + y);
  } else {
    const T sum = static_cast<T>(x + y);
    return sum < x ? limits::max() : sum;
  }
}
template <typename T>
inline T sub_sat_int(T x, T y) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    if (y < 0 && x > limits::max() + y) return limits::max();
    if (y > 0 && x < limits::min() + y) return limits::min();
    return static_cast<T>(x - y);
  } else {
    return x < y ? T(0) : static_cast<T>(x - y);
  }
}
template <typename T>
inline T hadd_int(T x, T y) { // floor((x + y) / 2)
  return static_cast<T>((x >> 1) + (y >> 1) + (x & y & 1));
}
template <typename T>
inline T rhadd_int(T x, T y) { // floor((x + y + 1) / 2)
  return static_cast<T>((x >> 1) + (y >> 1) + ((x | y) & 1));
}

inline std::uint64_t multiply_high(std::uint64_t x, std::uint64_t y) {
  const std::uint64_t low = 0xffffffffu, xl = x & low, xh = x >> 32, yl = y & low, yh = y >> 32;
  const std::uint64_t cross = (xl * yl >> 32) + (xh * yl & low) + xl * yh;
  return xh * yh + (xh * yl >> 32) + (cross >> 32);
}
template <typename T>
inline T mul_hi_int(T x, T y) {
  if constexpr (sizeof(T) < 8) {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(wide(x) * wide(y) >> bits_of<T>);
  } else if constexpr (std::is_signed_v<T>) {
    std::uint64_t high = multiply_high(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
    if (x < 0) high -= static_cast<std::uint64_t>(y);
    if (y < 0) high -= static_cast<std::uint64_t>(x);
    return static_cast<T>(high);
  } else {
    return static_cast<T>(multiply_high(x, y));
  }
}
template <typename T>
inline T mad_hi_int(T a, T b, T c) {
  using U = to_unsigned<T>;
  return static_cast<T>(static_cast<U>(mul_hi_int(a, b)) + static_cast<U>(c));
}
template <typename T>
inline T mad_sat_int(T a, T b, T c) {
  using limits = std::numeric_limits<T>;
  using U = to_unsigned<T>;
  if constexpr (sizeof(T) < 8) {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const wide exact = wide(a) * wide(b) + wide(c); // less than 2^63, also for 32-bit types
    if constexpr (std::is_signed_v<T>) {
      if (exact < wide(limits::min())) return limits::min();
    }
    return exact > wide(limits::max()) ? limits::max() : static_cast<T>(exact);
  } else {
    // Compute the exact product plus c as high:low.
    const U low = static_cast<U>(a) * static_cast<U>(b);
    const U sum = low + static_cast<U>(c);
    U high = static_cast<U>(mul_hi_int(a, b)) + (sum < low ? 1u : 0u);
    if constexpr (std::is_signed_v<T>) {
      if (c < 0) high -= 1u; // sign extension of c
      const U sign = static_cast<U>(static_cast<T>(sum) < 0 ? ~U(0) : U(0));
      if (high == sign) return static_cast<T>(sum);
      return static_cast<T>(high) < 0 ? limits::min() : limits::max();
    } else {
      return high != 0 ? limits::max() : sum;
    }
  }
}
template <typename T>
inline T rotate_int(T x, T count) {
  using U = to_unsigned<T>;
  const unsigned by = static_cast<unsigned>(static_cast<U>(count)) & unsigned(bits_of<T> - 1);
  const U u = static_cast<U>(x);
  return by == 0 ? x
                 : static_cast<T>(static_cast<U>(u << by) | static_cast<U>(u >> (unsigned(bits_of<T>) - by)));
}
template <typename T>
inline T clz_int(T x) {
  const auto u = static_cast<to_unsigned<T>>(x);
  if (u == 0) return static_cast<T>(bits_of<T>);
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_clzll(u));
  else return static_cast<T>(__builtin_clz(u) - (32 - bits_of<T>));
}
template <typename T>
inline T ctz_int(T x) {
  const auto u = static_cast<to_unsigned<T>>(x);
  if (u == 0) return static_cast<T>(bits_of<T>);
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_ctzll(u));
  else return static_cast<T>(__builtin_ctz(u));
}
template <typename T>
inline T popcount_int(T x) {
  const auto u = static_cast<to_unsigned<T>>(x);
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_popcountll(u));
  else return static_cast<T>(__builtin_popcount(u));
}

template <typename T>
struct twice_as_wide {};
template <>
struct twice_as_wide<std::uint8_t> {
  using type = std::uint16_t;
};
template <>
struct twice_as_wide<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct twice_as_wide<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct twice_as_wide<std::int8_t> {
  using type = std::int16_t;
};
template <>
struct twice_as_wide<char> {
  using type = std::int16_t;
};
template <>
struct twice_as_wide<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct twice_as_wide<std::int32_t> {
  using type = std::int64_t;
};

template <typename T>
inline typename twice_as_wide<T>::type upsample_int(T high, to_unsigned<T> low) {
  using W = typename twice_as_wide<T>::type;
  return static_cast<W>(static_cast<to_unsigned<W>>(static_cast<to_unsigned<W>>(high) << bits_of<T>) | low);
}

} // namespace detail

#define PRISM_INTEGER_1(NAME)                                                                                \
  template <typename T, std::enable_if_t<detail::is_integer<T>, int> = 0>                                    \
  inline T NAME(T x) {                                                                                       \
    return detail::NAME##_int(x);                                                                            \
  }                                                                                                          \
  template <typename A, typename E = detail::integer_element<A>,                                             \
            std::size_t = detail::common_shape<A>::size>                                                     \
  inline auto NAME(const A& a) {                                                                             \
    return detail::map_math([](E x) -> E { return detail::NAME##_int(x); }, a);                              \
  }
PRISM_INTEGER_1(abs)
PRISM_INTEGER_1(clz)
PRISM_INTEGER_1(ctz)
PRISM_INTEGER_1(popcount)
#undef PRISM_INTEGER_1

// For scalars the types can be deduced, or one type or all types can be specified.
#define PRISM_INTEGER_2(NAME, RESULT)                                                                        \
  template <typename T, std::enable_if_t<detail::is_integer<T>, int> = 0>                                    \
  inline RESULT NAME(T x, T y) {                                                                             \
    return detail::NAME##_int(x, y);                                                                         \
  }                                                                                                          \
  template <typename T, typename B,                                                                          \
            std::enable_if_t<detail::is_integer<T> && std::is_same_v<T, B>, int> = 0>                        \
  inline RESULT NAME(T x, B y) {                                                                             \
    return detail::NAME##_int(x, y);                                                                         \
  }                                                                                                          \
  template <typename A, typename B, typename T = detail::integer_element<A, B>>                              \
  inline auto NAME(const A& a, const B& b) {                                                                 \
    return detail::map_math([](T x, T y) -> T { return static_cast<T>(detail::NAME##_int(x, y)); }, a, b);   \
  }
PRISM_INTEGER_2(abs_diff, T)
PRISM_INTEGER_2(add_sat, T)
PRISM_INTEGER_2(sub_sat, T)
PRISM_INTEGER_2(hadd, T)
PRISM_INTEGER_2(rhadd, T)
PRISM_INTEGER_2(mul_hi, T)
PRISM_INTEGER_2(rotate, T)
#undef PRISM_INTEGER_2

#define PRISM_INTEGER_3(NAME)                                                                                \
  template <typename T, std::enable_if_t<detail::is_integer<T>, int> = 0>                                    \
  inline T NAME(T x, T y, T z) {                                                                             \
    return detail::NAME##_int(x, y, z);                                                                      \
  }                                                                                                          \
  template <typename A, typename B, typename C,                                                              \
            std::enable_if_t<detail::is_integer<A> && std::is_same_v<A, B> && std::is_same_v<A, C>, int> =   \
                0>                                                                                           \
  inline A NAME(A x, B y, C z) {                                                                             \
    return detail::NAME##_int(x, y, z);                                                                      \
  }                                                                                                          \
  template <typename A, typename B, typename C, typename E = detail::integer_element<A, B, C>>               \
  inline auto NAME(const A& a, const B& b, const C& c) {                                                     \
    return detail::map_math([](E x, E y, E z) -> E { return detail::NAME##_int(x, y, z); }, a, b, c);        \
  }
PRISM_INTEGER_3(mad_hi)
PRISM_INTEGER_3(mad_sat)
#undef PRISM_INTEGER_3

/// For 32-bit operands, of which only the low 24 bits are used.
template <typename T,
          std::enable_if_t<std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>, int> = 0>
inline T mul24(T x, T y) {
  return static_cast<T>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
}
template <typename T,
          std::enable_if_t<std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>, int> = 0>
inline T mad24(T x, T y, T z) {
  return static_cast<T>(static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y) +
                        static_cast<std::uint32_t>(z));
}
template <typename A, typename B,
          std::enable_if_t<(std::is_same_v<A, std::int32_t> || std::is_same_v<A, std::uint32_t>) &&
                               std::is_same_v<A, B>,
                           int> = 0>
inline A mul24(A x, B y) {
  return mul24<A>(x, y);
}
template <typename A, typename B, typename C,
          std::enable_if_t<(std::is_same_v<A, std::int32_t> || std::is_same_v<A, std::uint32_t>) &&
                               std::is_same_v<A, B> && std::is_same_v<A, C>,
                           int> = 0>
inline A mad24(A x, B y, C z) {
  return mad24<A>(x, y, z);
}
template <typename A, typename B, typename E = detail::integer_element<A, B>>
inline auto mul24(const A& a, const B& b) {
  return detail::map_math([](E x, E y) -> E { return mul24(x, y); }, a, b);
}
template <typename A, typename B, typename C, typename E = detail::integer_element<A, B, C>>
inline auto mad24(const A& a, const B& b, const C& c) {
  return detail::map_math([](E x, E y, E z) -> E { return mad24(x, y, z); }, a, b, c);
}

/// Returns (high << bits) | low in the type of twice the width; `low` is unsigned.
template <typename T, std::enable_if_t<detail::is_integer<T>, int> = 0>
inline typename detail::twice_as_wide<T>::type upsample(T high, detail::to_unsigned<T> low) {
  return detail::upsample_int(high, low);
}
template <typename A, typename B, typename E = detail::integer_element<A>>
inline auto upsample(const A& high, const B& low) {
  return detail::map_math([](E h, detail::to_unsigned<E> l) { return detail::upsample_int(h, l); }, high,
                          low);
}

}
} // namespace sycl::_V1
