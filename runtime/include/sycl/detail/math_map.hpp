// Applies scalar functions element by element to vec, swizzles and marray, for the math headers. Operands may
// be arrays of one shape and scalars, which are broadcast. A swizzle counts as the vec that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sycl/marray.hpp>
#include <sycl/vec.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

// shape<A>::value: the vec or marray that A is, or, for a swizzle, reads. Scalars have none.
template <typename A>
struct shape {
  static constexpr std::size_t size = 0;
  static constexpr bool is_vec = false;
};
template <typename T, int N>
struct shape<vec<T, N>> {
  using value = vec<T, N>;
  using element = T;
  template <typename E>
  using with = vec<E, N>;
  static constexpr std::size_t size = static_cast<std::size_t>(N);
  static constexpr bool is_vec = true;
};
template <typename T, int M, bool C, int... I>
struct shape<swizzled_vec<T, M, C, I...>> : shape<vec<T, static_cast<int>(sizeof...(I))>> {};
template <typename T, std::size_t N>
struct shape<marray<T, N>> {
  using value = marray<T, N>;
  using element = T;
  template <typename E>
  using with = marray<E, N>;
  static constexpr std::size_t size = N;
  static constexpr bool is_vec = false;
};

// The shape of the first array among the operands.
template <typename... A>
struct common_shape {
  static constexpr std::size_t size = 0;
};
template <typename First, typename... Rest>
struct common_shape<First, Rest...>
    : std::conditional_t<shape<First>::size != 0, shape<First>, common_shape<Rest...>> {};

template <typename S, typename A, typename = void>
inline constexpr bool fits_shape = false;
template <typename S, typename A>
inline constexpr bool fits_shape<S, A, std::enable_if_t<shape<A>::size != 0>> =
    shape<A>::size == S::size && shape<A>::is_vec == S::is_vec;
template <typename S, typename A>
inline constexpr bool fits_shape<S, A, std::enable_if_t<shape<A>::size == 0>> =
    std::is_convertible_v<A, typename S::element>;

template <typename S, bool IsArray, typename... A>
struct array_element {};
template <typename S, typename... A>
struct array_element<S, true, A...> : std::enable_if<(fits_shape<S, A> && ...), typename S::element> {};
/// The element type of a call with at least one array and matching operands; otherwise there is no type.
template <typename... A>
using element_of = typename array_element<common_shape<A...>, common_shape<A...>::size != 0, A...>::type;

template <typename E, bool Accept>
using element_if = std::enable_if_t<Accept, E>;
template <typename... A>
using float_element = element_if<element_of<A...>, is_genfloat_scalar<element_of<A...>>>;
template <typename... A>
using float32_element = element_if<element_of<A...>, std::is_same_v<element_of<A...>, float>>;
/// The type in which a function of scalars is computed: double if one is double, else float if one is float
/// or converts to it (including half), double if all are integers, as in C. There is no type if one is an
/// array, or if all are half, which has its own functions.
///
/// Scalar functions are templates with an empty pack at the end, for programs with "using namespace sycl" and
/// perhaps also std: overload resolution then prefers a function of C or std with the same types, and no call
/// is ambiguous.
struct math_conversion {
  static float of(float);
  static double of(double);
  static double of(long double) = delete;
};
template <typename A, typename = void>
struct scalar_type : std::enable_if<std::is_integral_v<A> || std::is_enum_v<A>> {
}; // type void: integers and enumerations have no preference
template <typename A>
struct scalar_type<A, std::void_t<decltype(math_conversion::of(std::declval<A>()))>> {
  using type = decltype(math_conversion::of(std::declval<A>()));
};
template <bool Accept, typename... T>
struct scalar_call_of {};
template <typename... T>
struct scalar_call_of<true, T...>
    : std::conditional<(std::is_same_v<T, float> || ...) && !(std::is_same_v<T, double> || ...), float,
                       double> {};
template <std::size_t More, typename... A>
using scalar_call =
    typename scalar_call_of<More == 0 && ((shape<A>::size == 0) && ...) && !(std::is_same_v<A, half> && ...),
                            typename scalar_type<A>::type...>::type;

template <typename... A>
using integer_element = element_if<element_of<A...>, std::is_integral_v<element_of<A...>>>;

template <typename A>
inline decltype(auto) read_operand(const A& a) {
  if constexpr (is_vec_like<A>) return typename shape<A>::value(a);
  else return (a);
}
template <typename A>
inline auto operand_at(const A& a, std::size_t i) {
  if constexpr (shape<A>::size == 0) {
    return a;
  } else if constexpr (shape<A>::is_vec) {
    return a[static_cast<int>(i)];
  } else {
    return a[i];
  }
}

template <typename S, typename F, typename... A>
inline auto map_values(F f, const A&... a) {
  using E = decltype(f(operand_at(a, 0)...));
  typename S::template with<E> result;
  for (std::size_t i = 0; i < S::size; ++i) {
    if constexpr (S::is_vec) result[static_cast<int>(i)] = f(operand_at(a, i)...);
    else result[i] = f(operand_at(a, i)...);
  }
  return result;
}
/// Applies f to element i of every operand, for all i.
template <typename F, typename... A>
inline auto map_math(F f, const A&... a) {
  return map_values<common_shape<A...>>(f, read_operand(a)...);
}

/// The same for predicates. Returns marray<bool> for marray, and signed integers with -1 for true for vec.
template <typename F, typename... A>
inline auto map_predicate(F f, const A&... a) {
  using S = common_shape<A...>;
  if constexpr (S::is_vec) {
    using mask = same_width_integer<typename S::element>;
    return map_values<S>([f](auto... e) { return static_cast<mask>(f(e...) ? -1 : 0); }, read_operand(a)...);
  } else {
    return map_values<S>([f](auto... e) -> bool { return f(e...); }, read_operand(a)...);
  }
}

}
}
} // namespace sycl::_V1::detail

// Defines a function of genfloat: for scalars, for half, and a template for all arrays. F and D are the
// scalar implementations for float and double; half is computed in float and rounded.
#define PRISM_MATH_1(NAME, F, D)                                                                             \
  template <typename A, typename... None, typename S = detail::scalar_call<sizeof...(None), A>>              \
  inline S NAME(A x, None...) {                                                                              \
    if constexpr (std::is_same_v<S, float>) return F(static_cast<float>(x));                                 \
    else return D(static_cast<double>(x));                                                                   \
  }                                                                                                          \
  inline half NAME(half x) { return half(F(float(x))); }                                                     \
  template <typename A, typename E = detail::float_element<A>>                                               \
  inline auto NAME(const A& a) {                                                                             \
    return detail::map_math([](E x) -> E { return NAME(x); }, a);                                            \
  }
#define PRISM_MATH_2(NAME, F, D)                                                                             \
  template <typename A, typename B, typename... None,                                                        \
            typename S = detail::scalar_call<sizeof...(None), A, B>>                                         \
  inline S NAME(A x, B y, None...) {                                                                         \
    if constexpr (std::is_same_v<S, float>) return F(static_cast<float>(x), static_cast<float>(y));          \
    else return D(static_cast<double>(x), static_cast<double>(y));                                           \
  }                                                                                                          \
  inline half NAME(half x, half y) { return half(F(float(x), float(y))); }                                   \
  template <typename A, typename B, typename E = detail::float_element<A, B>>                                \
  inline auto NAME(const A& a, const B& b) {                                                                 \
    return detail::map_math([](E x, E y) -> E { return NAME(x, y); }, a, b);                                 \
  }
#define PRISM_MATH_3(NAME, F, D)                                                                             \
  template <typename A, typename B, typename C, typename... None,                                            \
            typename S = detail::scalar_call<sizeof...(None), A, B, C>>                                      \
  inline S NAME(A x, B y, C z, None...) {                                                                    \
    if constexpr (std::is_same_v<S, float>)                                                                  \
      return F(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));                         \
    else return D(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));                   \
  }                                                                                                          \
  inline half NAME(half x, half y, half z) { return half(F(float(x), float(y), float(z))); }                 \
  template <typename A, typename B, typename C, typename E = detail::float_element<A, B, C>>                 \
  inline auto NAME(const A& a, const B& b, const C& c) {                                                     \
    return detail::map_math([](E x, E y, E z) -> E { return NAME(x, y, z); }, a, b, c);                      \
  }
