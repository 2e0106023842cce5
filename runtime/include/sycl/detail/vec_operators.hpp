// The operators of vec and of swizzles. Both classes derive from the empty `vec_ops::operand`, so only
// argument-dependent lookup finds these templates. One of the two operands must be a vec or swizzle, and the
// element types and sizes must agree; a scalar must convert to the element type. A swizzle is read into a vec
// before the computation, so an assignment through a swizzle may use its own vector on the right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {

template <typename DataT, int NumElements>
class vec;

namespace detail {

template <typename DataT, int VecSize, bool Const, int... Index>
class swizzled_vec;

/// The signed integer of the width of T: the element type of comparisons.
template <typename T>
using same_width_integer =
    std::conditional_t<sizeof(T) == 1, std::int8_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t,
                                          std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

// The properties of an operand. size is 0 unless it is a vec or swizzle.
template <typename X>
struct vec_traits {
  using element = void;
  static constexpr int size = 0;
  static constexpr bool writable = false;
};
template <typename T, int N>
struct vec_traits<vec<T, N>> {
  using element = T;
  using value = vec<T, N>;
  static constexpr int size = N;
  static constexpr bool writable = true;
};
template <typename T, int M, bool Const, int... Index>
struct vec_traits<swizzled_vec<T, M, Const, Index...>> {
  using element = T;
  using value = vec<T, static_cast<int>(sizeof...(Index))>;
  static constexpr int size = static_cast<int>(sizeof...(Index));
  static constexpr bool writable = !Const;
};

template <typename X>
inline constexpr bool is_vec_like = vec_traits<X>::size != 0;

// Whether a binary operator accepts (A, B), and the vec type in which it computes.
template <typename A, typename B, bool AVec = is_vec_like<A>, bool BVec = is_vec_like<B>>
struct vec_pair {};
template <typename A, typename B>
struct vec_pair<A, B, true,
                true> // next to a longer operand, one element of a vec, such as v.w(), converts to a scalar
    : std::conditional_t<
          vec_traits<A>::size != 1 && vec_traits<B>::size == 1, vec_pair<A, B, true, false>,
          std::conditional_t<
              vec_traits<A>::size == 1 && vec_traits<B>::size != 1, vec_pair<A, B, false, true>,
              std::enable_if<std::is_same_v<typename vec_traits<A>::value, typename vec_traits<B>::value>,
                             typename vec_traits<A>::value>>> {};
template <typename A, typename B>
struct vec_pair<A, B, true, false> : std::enable_if<std::is_convertible_v<B, typename vec_traits<A>::element>,
                                                    typename vec_traits<A>::value> {};
template <typename A, typename B>
struct vec_pair<A, B, false, true> : std::enable_if<std::is_convertible_v<A, typename vec_traits<B>::element>,
                                                    typename vec_traits<B>::value> {};

template <typename A, typename B>
using vec_result = typename vec_pair<A, B>::type;
template <typename A, typename B>
using vec_mask =
    vec<same_width_integer<typename vec_pair<A, B>::type::element_type>, vec_pair<A, B>::type::size()>;

template <typename T>
inline constexpr bool has_bits = std::is_integral_v<T> || std::is_same_v<T, std::byte>;

template <typename A, typename B>
using vec_integer_result =
    std::enable_if_t<has_bits<typename vec_result<A, B>::element_type>, vec_result<A, B>>;

template <typename V, typename X>
inline V as_vec(const X& x) noexcept {
  if constexpr (vec_traits<X>::size == V::size()) {
    return x;
  } else {
    return V(static_cast<typename V::element_type>(x));
  }
}

namespace vec_ops {

struct operand {};

#define PRISM_VEC_BINARY(OP, RESULT)                                                                         \
  template <typename A, typename B>                                                                          \
  inline RESULT<A, B> operator OP(const A & lhs, const B & rhs) {                                            \
    using V = vec_result<A, B>;                                                                              \
    const V a = as_vec<V>(lhs), b = as_vec<V>(rhs);                                                          \
    V result;                                                                                                \
    for (int i = 0; i < V::size(); ++i) result[i] = static_cast<typename V::element_type>(a[i] OP b[i]);     \
    return result;                                                                                           \
  }                                                                                                          \
  template <typename N, typename B, typename = std::enable_if_t<is_vec_like<N>>>                             \
  inline std::enable_if_t<std::is_same_v<RESULT<N, B>, N>, N&> operator OP##=(N & lhs, const B & rhs) {      \
    return lhs = lhs OP rhs;                                                                                 \
  }                                                                                                          \
  template <typename T, int M, int... I, typename B, typename = RESULT<swizzled_vec<T, M, false, I...>, B>>  \
  inline const swizzled_vec<T, M, false, I...>& operator OP##=(const swizzled_vec<T, M, false, I...>& lhs,   \
                                                               const B & rhs) {                              \
    return lhs = lhs OP rhs;                                                                                 \
  }
PRISM_VEC_BINARY(+, vec_result)
PRISM_VEC_BINARY(-, vec_result)
PRISM_VEC_BINARY(*, vec_result)
PRISM_VEC_BINARY(/, vec_result)
PRISM_VEC_BINARY(%, vec_integer_result)
PRISM_VEC_BINARY(&, vec_integer_result)
PRISM_VEC_BINARY(|, vec_integer_result)
PRISM_VEC_BINARY(^, vec_integer_result)
PRISM_VEC_BINARY(<<, vec_integer_result)
PRISM_VEC_BINARY(>>, vec_integer_result)
#undef PRISM_VEC_BINARY

#define PRISM_VEC_COMPARE(OP)                                                                                \
  template <typename A, typename B>                                                                          \
  inline vec_mask<A, B> operator OP(const A & lhs, const B & rhs) {                                          \
    using V = vec_result<A, B>;                                                                              \
    const V a = as_vec<V>(lhs), b = as_vec<V>(rhs);                                                          \
    vec_mask<A, B> result;                                                                                   \
    for (int i = 0; i < V::size(); ++i) {                                                                    \
      result[i] = static_cast<same_width_integer<typename V::element_type>>((a[i] OP b[i]) ? -1 : 0);        \
    }                                                                                                        \
    return result;                                                                                           \
  }
PRISM_VEC_COMPARE(==)
PRISM_VEC_COMPARE(!=)
PRISM_VEC_COMPARE(<)
PRISM_VEC_COMPARE(>)
PRISM_VEC_COMPARE(<=)
PRISM_VEC_COMPARE(>=)
PRISM_VEC_COMPARE(&&)
PRISM_VEC_COMPARE(||)
#undef PRISM_VEC_COMPARE

template <typename A, typename V = typename vec_traits<A>::value>
inline V operator+(const A& value) {
  return value;
}
template <typename A, typename V = typename vec_traits<A>::value>
inline V operator-(const A& value) {
  const V v = value;
  V result;
  for (int i = 0; i < V::size(); ++i) result[i] = static_cast<typename V::element_type>(-v[i]);
  return result;
}
template <typename A, typename V = typename vec_traits<A>::value,
          typename = std::enable_if_t<has_bits<typename V::element_type>>>
inline V operator~(const A& value) {
  const V v = value;
  V result;
  for (int i = 0; i < V::size(); ++i) result[i] = static_cast<typename V::element_type>(~v[i]);
  return result;
}
template <typename A, typename V = typename vec_traits<A>::value>
inline vec<same_width_integer<typename V::element_type>, V::size()> operator!(const A& value) {
  const V v = value;
  vec<same_width_integer<typename V::element_type>, V::size()> result;
  for (int i = 0; i < V::size(); ++i) {
    result[i] = static_cast<same_width_integer<typename V::element_type>>(v[i] ? 0 : -1);
  }
  return result;
}

#define PRISM_VEC_STEP(OP, STEP)                                                                             \
  template <typename T, int N, typename = std::enable_if_t<!std::is_same_v<T, bool>>>                        \
  inline vec<T, N>& operator OP(vec<T, N>& value) {                                                          \
    return value = value STEP T(1);                                                                          \
  }                                                                                                          \
  template <typename T, int N, typename = std::enable_if_t<!std::is_same_v<T, bool>>>                        \
  inline vec<T, N> operator OP(vec<T, N>& value, int) {                                                      \
    const vec<T, N> old = value;                                                                             \
    value = value STEP T(1);                                                                                 \
    return old;                                                                                              \
  }                                                                                                          \
  template <typename T, int M, int... I, typename = std::enable_if_t<!std::is_same_v<T, bool>>>              \
  inline const swizzled_vec<T, M, false, I...>& operator OP(const swizzled_vec<T, M, false, I...>& value) {  \
    return value = value STEP T(1);                                                                          \
  }                                                                                                          \
  template <typename T, int M, int... I, typename = std::enable_if_t<!std::is_same_v<T, bool>>>              \
  inline vec<T, static_cast<int>(sizeof...(I))> operator OP(const swizzled_vec<T, M, false, I...>& value,    \
                                                            int) {                                           \
    const vec<T, static_cast<int>(sizeof...(I))> old = value;                                                \
    value = value STEP T(1);                                                                                 \
    return old;                                                                                              \
  }
PRISM_VEC_STEP(++, +)
PRISM_VEC_STEP(--, -)
#undef PRISM_VEC_STEP

} // namespace vec_ops

} // namespace detail

}
} // namespace sycl::_V1
