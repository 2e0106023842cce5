// The functions of SYCL 2020, "Relational functions". They return bool for scalars, marray<bool> for marray,
// and signed integers with -1 for true for vec. any, all and select use the top bit of a vec's elements.
#pragma once

#include <sycl/detail/math_map.hpp>
#include <sycl/detail/math_scalar.hpp>

namespace sycl {
inline namespace _V1 {

#define PRISM_RELATION_2(NAME, EXPRESSION)                                                                   \
  template <typename A, typename B, typename... None,                                                        \
            typename S = detail::scalar_call<sizeof...(None), A, B>>                                         \
  inline bool NAME(A a, B b, None...) {                                                                      \
    const S x = static_cast<S>(a), y = static_cast<S>(b);                                                    \
    return EXPRESSION;                                                                                       \
  }                                                                                                          \
  inline bool NAME(half a, half b) {                                                                         \
    const float x = a, y = b;                                                                                \
    return EXPRESSION;                                                                                       \
  }                                                                                                          \
  template <typename A, typename B, typename E = detail::float_element<A, B>>                                \
  inline auto NAME(const A& a, const B& b) {                                                                 \
    return detail::map_predicate([](E x, E y) { return EXPRESSION; }, a, b);                                 \
  }
PRISM_RELATION_2(isequal, x == y)
PRISM_RELATION_2(isnotequal, x != y)
PRISM_RELATION_2(isgreater, x > y)
PRISM_RELATION_2(isgreaterequal, x >= y)
PRISM_RELATION_2(isless, x < y)
PRISM_RELATION_2(islessequal, x <= y)
PRISM_RELATION_2(islessgreater, (x < y || x > y))
PRISM_RELATION_2(isordered, (x == x && y == y))
PRISM_RELATION_2(isunordered, (x != x || y != y))
#undef PRISM_RELATION_2

namespace detail {

// Classifies numbers by their bits, so flush-to-zero and fast-math have no effect.
template <typename T>
using float_bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                      std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
template <typename T>
struct float_layout {
  static constexpr int fraction_bits = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
  static constexpr float_bits<T> sign = static_cast<float_bits<T>>(float_bits<T>(1) << (8 * sizeof(T) - 1));
  static constexpr float_bits<T> infinity =
      static_cast<float_bits<T>>((sign - 1) & ~((float_bits<T>(1) << fraction_bits) - 1));
  static constexpr float_bits<T> smallest_normal =
      static_cast<float_bits<T>>(float_bits<T>(1) << fraction_bits);
};
template <typename T>
inline float_bits<T> magnitude_bits(T x) {
  return static_cast<float_bits<T>>(sycl::bit_cast<float_bits<T>>(x) & ~float_layout<T>::sign);
}
template <typename T>
inline bool finite_value(T x) {
  return magnitude_bits(x) < float_layout<T>::infinity;
}
template <typename T>
inline bool infinite_value(T x) {
  return magnitude_bits(x) == float_layout<T>::infinity;
}
template <typename T>
inline bool nan_value(T x) {
  return magnitude_bits(x) > float_layout<T>::infinity;
}
template <typename T>
inline bool normal_value(T x) {
  return finite_value(x) && magnitude_bits(x) >= float_layout<T>::smallest_normal;
}
template <typename T>
inline bool negative_value(T x) {
  return (sycl::bit_cast<float_bits<T>>(x) & float_layout<T>::sign) != 0;
}

} // namespace detail

#define PRISM_RELATION_1(NAME, FUNCTION)                                                                     \
  template <typename A, typename... None, typename S = detail::scalar_call<sizeof...(None), A>>              \
  inline bool NAME(A x, None...) {                                                                           \
    return detail::FUNCTION(static_cast<S>(x));                                                              \
  }                                                                                                          \
  inline bool NAME(half x) { return detail::FUNCTION(x); }                                                   \
  template <typename T, std::enable_if_t<std::is_same_v<T, half>, int> = 0>                                  \
  inline bool NAME(T x) { /* for calls that name the type */                                                 \
    return detail::FUNCTION(x);                                                                              \
  }                                                                                                          \
  template <typename A, typename E = detail::float_element<A>>                                               \
  inline auto NAME(const A& a) {                                                                             \
    return detail::map_predicate([](E x) { return detail::FUNCTION(x); }, a);                                \
  }
PRISM_RELATION_1(isfinite, finite_value)
PRISM_RELATION_1(isinf, infinite_value)
PRISM_RELATION_1(isnan, nan_value)
PRISM_RELATION_1(isnormal, normal_value)
PRISM_RELATION_1(signbit, negative_value)
#undef PRISM_RELATION_1

// ---- any, all

inline bool any(bool x) { return x; }
inline bool all(bool x) { return x; }
// For integers, the top bit is tested.
template <typename T, std::enable_if_t<std::is_integral_v<T> && std::is_signed_v<T>, int> = 0>
[[deprecated("pass a bool, or compare with 0")]] inline bool any(T x) {
  return x < 0;
}
template <typename T, std::enable_if_t<std::is_integral_v<T> && std::is_signed_v<T>, int> = 0>
[[deprecated("pass a bool, or compare with 0")]] inline bool all(T x) {
  return x < 0;
}
// Returns int for vec, whose comparisons return integers; bool for marray.
template <typename A, typename E = detail::integer_element<A>>
inline std::conditional_t<detail::shape<A>::is_vec, int, bool> any(const A& a) {
  const typename detail::shape<A>::value v = a;
  bool result = false;
  for (int i = 0; i < static_cast<int>(detail::shape<A>::size); ++i) {
    if constexpr (std::is_same_v<E, bool>) result = result || v[i];
    else result = result || v[i] < 0;
  }
  return result;
}
template <typename A, typename E = detail::integer_element<A>>
inline std::conditional_t<detail::shape<A>::is_vec, int, bool> all(const A& a) {
  const typename detail::shape<A>::value v = a;
  bool result = true;
  for (int i = 0; i < static_cast<int>(detail::shape<A>::size); ++i) {
    if constexpr (std::is_same_v<E, bool>) result = result && v[i];
    else result = result && v[i] < 0;
  }
  return result;
}

// ---- bitselect, select

namespace detail {
template <typename T>
using raw_bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, float_bits<T>>;
template <typename T>
inline T bitselect_value(T a, T b, T c) {
  const auto x = sycl::bit_cast<raw_bits<T>>(a), y = sycl::bit_cast<raw_bits<T>>(b),
             m = sycl::bit_cast<raw_bits<T>>(c);
  return sycl::bit_cast<T>(static_cast<raw_bits<T>>((x & static_cast<raw_bits<T>>(~m)) | (y & m)));
}
template <typename T>
inline constexpr bool is_scalar_element = std::is_integral_v<T> || is_genfloat_scalar<T>;
template <typename... A>
using scalar_element = element_if<element_of<A...>, is_scalar_element<element_of<A...>>>;
/// Whether a selector element chooses the second value.
template <typename C>
inline bool chooses(C c) {
  if constexpr (std::is_same_v<C, bool>) return c;
  else return (c >> (8 * sizeof(C) - 1)) != 0;
}
} // namespace detail

/// Returns, for each bit, the bit of b if that of c is 1, else the bit of a.
template <typename T, std::enable_if_t<detail::is_scalar_element<T>, int> = 0>
inline T bitselect(T a, T b, T c) {
  return detail::bitselect_value(a, b, c);
}
template <typename A, typename B, typename C, typename E = detail::scalar_element<A, B, C>>
inline auto bitselect(const A& a, const B& b, const C& c) {
  return detail::map_math([](E x, E y, E z) -> E { return detail::bitselect_value(x, y, z); }, a, b, c);
}
/// Returns c ? b : a. For vec, the condition is the top bit of c's element; for marray and scalars the bool.
template <typename T, std::enable_if_t<detail::is_scalar_element<T>, int> = 0>
inline T select(T a, T b, bool c) {
  return c ? b : a;
}
template <typename A, typename B, typename C, typename E = detail::scalar_element<A, B>,
          std::enable_if_t<detail::shape<C>::size == detail::common_shape<A, B>::size, int> = 0>
inline auto select(const A& a, const B& b, const C& c) {
  return detail::map_math([](E x, E y, auto z) -> E { return detail::chooses(z) ? y : x; }, a, b, c);
}

}
} // namespace sycl::_V1
