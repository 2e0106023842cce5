// The functions of SYCL 2020, "Common functions", and min, max and clamp, which also accept integers.
#pragma once

#include <sycl/detail/math_map.hpp>
#include <sycl/detail/math_scalar.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

template <typename T>
inline constexpr bool is_number =
    is_genfloat_scalar<T> || (std::is_integral_v<T> && !std::is_same_v<T, bool>);
template <typename... A>
using number_element = element_if<element_of<A...>, is_number<element_of<A...>>>;

/// The result type of the minimum of scalars: their common type, the common type of integers, or the type in
/// which other combinations are computed.
template <bool AreIntegers, typename... A>
struct number_call_of {
  using type = scalar_call<0, A...>;
};
template <typename... A>
struct number_call_of<true, A...> : std::common_type<A...> {};
template <bool Accept, typename... A>
struct number_call_if {};
template <typename First, typename... Rest>
struct number_call_if<true, First, Rest...>
    : std::conditional_t<
          (std::is_same_v<First, Rest> && ...), std::enable_if<is_number<First>, First>,
          number_call_of<(std::is_integral_v<First> && ... && std::is_integral_v<Rest>), First, Rest...>> {};
template <typename... A>
using number_call = typename number_call_if<((shape<A>::size == 0) && ...), A...>::type;

template <typename T>
inline T min_value(T x, T y) {
  return y < x ? y : x;
}
template <typename T>
inline T max_value(T x, T y) {
  return x < y ? y : x;
}

inline float degrees(float x) { return x * 57.295779513082320876798f; }
inline double degrees(double x) { return x * 57.295779513082320876798; }
inline float radians(float x) { return x * 0.017453292519943295769237f; }
inline double radians(double x) { return x * 0.017453292519943295769237; }
template <typename T>
inline T sign(T x) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? x : T(0); // 0 for NaN
}
template <typename T>
inline T step(T edge, T x) {
  return x < edge ? T(0) : T(1);
}
template <typename T>
inline T mix(T x, T y, T a) {
  return x + (y - x) * a;
}
template <typename T>
inline T smoothstep(T edge0, T edge1, T x) {
  const T t = (x - edge0) / (edge1 - edge0), u = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
  return u * u * (T(3) - T(2) * u);
}

} // namespace detail

// Each operand has its own type, so that std::min, which has one type, is the better overload if a program
// uses both namespaces.
template <typename A, typename B, typename T = detail::number_call<A, B>>
inline T min(A x, B y) {
  return detail::min_value(static_cast<T>(x), static_cast<T>(y));
}
template <typename A, typename B, typename T = detail::number_call<A, B>>
inline T max(A x, B y) {
  return detail::max_value(static_cast<T>(x), static_cast<T>(y));
}
template <typename A, typename B, typename C, typename T = detail::number_call<A, B, C>>
inline T clamp(A x, B low, C high) {
  return detail::min_value(detail::max_value(static_cast<T>(x), static_cast<T>(low)), static_cast<T>(high));
}
template <typename A, typename B, typename E = detail::number_element<A, B>>
inline auto min(const A& a, const B& b) {
  return detail::map_math([](E x, E y) -> E { return detail::min_value(x, y); }, a, b);
}
template <typename A, typename B, typename E = detail::number_element<A, B>>
inline auto max(const A& a, const B& b) {
  return detail::map_math([](E x, E y) -> E { return detail::max_value(x, y); }, a, b);
}
template <typename A, typename B, typename C, typename E = detail::number_element<A, B, C>>
inline auto clamp(const A& a, const B& b, const C& c) {
  return detail::map_math([](E x, E l, E h) -> E { return clamp(x, l, h); }, a, b, c);
}

PRISM_MATH_1(degrees, detail::degrees, detail::degrees)
PRISM_MATH_1(radians, detail::radians, detail::radians)
PRISM_MATH_1(sign, detail::sign, detail::sign)
PRISM_MATH_3(mix, detail::mix, detail::mix)

// step and smoothstep with scalar edges permit to specify only the array's type: step<vec<float, 2>>(0.5f,
// x).
#define PRISM_SCALAR_STEPS(T)                                                                                \
  inline T step(T edge, T x) { return detail::step(edge, x); }                                               \
  inline T smoothstep(T edge0, T edge1, T x) { return detail::smoothstep(edge0, edge1, x); }
PRISM_SCALAR_STEPS(float)
PRISM_SCALAR_STEPS(double)
#undef PRISM_SCALAR_STEPS
inline half step(half edge, half x) { return half(detail::step(float(edge), float(x))); }
inline half smoothstep(half edge0, half edge1, half x) {
  return half(detail::smoothstep(float(edge0), float(edge1), float(x)));
}
template <typename A, typename B, typename E = detail::float_element<A, B>,
          std::enable_if_t<detail::shape<A>::size != 0, int> = 0>
inline auto step(const A& edge, const B& x) {
  return detail::map_math([](E e, E v) -> E { return step(e, v); }, edge, x);
}
template <typename A, typename E = detail::float_element<A>>
inline auto step(typename detail::shape<A>::element edge, const A& x) {
  return detail::map_math([](E e, E v) -> E { return step(e, v); }, edge, x);
}
template <typename A, typename B, typename C, typename E = detail::float_element<A, B, C>,
          std::enable_if_t<detail::shape<A>::size != 0 || detail::shape<B>::size != 0, int> = 0>
inline auto smoothstep(const A& edge0, const B& edge1, const C& x) {
  return detail::map_math([](E a, E b, E v) -> E { return smoothstep(a, b, v); }, edge0, edge1, x);
}
template <typename A, typename E = detail::float_element<A>>
inline auto smoothstep(typename detail::shape<A>::element edge0, typename detail::shape<A>::element edge1,
                       const A& x) {
  return detail::map_math([](E a, E b, E v) -> E { return smoothstep(a, b, v); }, edge0, edge1, x);
}

namespace detail {
template <typename T>
inline constexpr bool is_half = std::is_same_v<T, half>;
} // namespace detail

// The scalar forms with the types of all arguments specified: mix<half, half, half>(x, y, a).
#define PRISM_SCALARS_1(NAME, ACCEPTED)                                                                      \
  template <typename A, std::enable_if_t<detail::ACCEPTED<A>, int> = 0>                                      \
  inline A NAME(A x) {                                                                                       \
    return NAME(x);                                                                                          \
  }
#define PRISM_SCALARS_2(NAME, ACCEPTED)                                                                      \
  template <typename A, typename B, std::enable_if_t<detail::ACCEPTED<A> && std::is_same_v<A, B>, int> = 0>  \
  inline A NAME(A x, B y) {                                                                                  \
    return NAME(x, y);                                                                                       \
  }
#define PRISM_SCALARS_3(NAME, ACCEPTED)                                                                      \
  template <typename A, typename B, typename C,                                                              \
            std::enable_if_t<detail::ACCEPTED<A> && std::is_same_v<A, B> && std::is_same_v<A, C>, int> = 0>  \
  inline A NAME(A x, B y, C z) {                                                                             \
    return NAME(x, y, z);                                                                                    \
  }
PRISM_SCALARS_1(degrees, is_half)
PRISM_SCALARS_1(radians, is_half)
PRISM_SCALARS_1(sign, is_half)
PRISM_SCALARS_2(step, is_genfloat_scalar)
PRISM_SCALARS_3(mix, is_half)
PRISM_SCALARS_3(smoothstep, is_genfloat_scalar)
#undef PRISM_SCALARS_1
#undef PRISM_SCALARS_2
#undef PRISM_SCALARS_3

}
} // namespace sycl::_V1
