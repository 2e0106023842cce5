// The functions of SYCL 2020, "Geometric functions": cross, dot, length, distance, normalize and the fast_
// variants, for scalars and for vec and marray of up to four floats, doubles or halves.
#pragma once

#include <sycl/math_float.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

template <typename T>
using wide_float = std::conditional_t<std::is_same_v<T, half>, float, T>;

template <typename A>
inline constexpr bool is_geo_scalar = is_genfloat_scalar<A>;

template <typename T, typename V>
inline wide_float<T> dot_of(const V& a, const V& b) {
  wide_float<T> sum = 0;
  for (int i = 0; i < static_cast<int>(V::size()); ++i) sum += wide_float<T>(a[i]) * wide_float<T>(b[i]);
  return sum;
}
/// Returns the Euclidean length. The elements are scaled by a power of two near the largest one, so the
/// squares neither overflow nor underflow.
template <typename T, typename V>
inline wide_float<T> length_of(const V& a) {
  using W = wide_float<T>;
  W largest = 0;
  bool is_nan = false;
  for (int i = 0; i < static_cast<int>(V::size()); ++i) {
    const W size = m_fabs(W(a[i]));
    is_nan = is_nan || size != size;
    largest = size > largest ? size : largest;
  }
  if (largest == infinity<W>) return largest;
  if (is_nan) return not_a_number<W>;
  if (largest == W(0)) return largest;
  constexpr bool narrow = sizeof(W) == 4;
  const W scale = largest > (narrow ? W(0x1p60) : W(0x1p500))     ? (narrow ? W(0x1p-70) : W(0x1p-520))
                  : largest < (narrow ? W(0x1p-60) : W(0x1p-500)) ? (narrow ? W(0x1p90) : W(0x1p600))
                                                                  : W(1);
  W sum = 0;
  for (int i = 0; i < static_cast<int>(V::size()); ++i) {
    const W scaled = W(a[i]) * scale;
    sum += scaled * scaled;
  }
  return m_sqrt(sum) / scale;
}

} // namespace detail

template <typename T, std::enable_if_t<detail::is_geo_scalar<T>, int> = 0>
inline T dot(T a, T b) {
  return a * b;
}
template <typename A, typename B, std::enable_if_t<detail::is_geo_scalar<A> && std::is_same_v<A, B>, int> = 0>
inline A dot(A a, B b) {
  return a * b;
}
template <typename T, std::enable_if_t<detail::is_geo_scalar<T>, int> = 0>
inline T length(T a) {
  return fabs(a);
}
template <typename T, std::enable_if_t<detail::is_geo_scalar<T>, int> = 0>
inline T distance(T a, T b) {
  return fabs(a - b);
}
template <typename A, typename B, std::enable_if_t<detail::is_geo_scalar<A> && std::is_same_v<A, B>, int> = 0>
inline A distance(A a, B b) {
  return fabs(a - b);
}
template <typename T, std::enable_if_t<detail::is_geo_scalar<T>, int> = 0>
inline T normalize(T a) {
  return a == T(0) || a != a ? a : copysign(T(1), a);
}

template <typename A, typename B, typename E = detail::float_element<A, B>>
inline E dot(const A& a, const B& b) {
  using V = typename detail::common_shape<A, B>::value;
  return E(detail::dot_of<E>(V(a), V(b)));
}
template <typename A, typename E = detail::float_element<A>>
inline E length(const A& a) {
  using V = typename detail::shape<A>::value;
  return E(detail::length_of<E>(V(a)));
}
template <typename A, typename B, typename E = detail::float_element<A, B>>
inline E distance(const A& a, const B& b) {
  using V = typename detail::common_shape<A, B>::value;
  return length(V(V(a) - V(b)));
}
template <typename A, typename E = detail::float_element<A>>
inline auto normalize(const A& a) {
  using V = typename detail::shape<A>::value;
  using W = detail::wide_float<E>;
  V v = a;
  W size = detail::length_of<E>(v);
  if (size == W(0)) return v;
  // An infinite length: each infinite element counts as one, the others as zero.
  if (size == detail::infinity<W>) {
    for (int i = 0; i < static_cast<int>(V::size()); ++i) {
      v[i] = E(detail::m_copysign(detail::m_fabs(W(v[i])) == size ? W(1) : W(0), W(v[i])));
    }
    size = detail::length_of<E>(v);
  }
  // A subnormal length has no accurate reciprocal or quotient, so scale up first, which is exact.
  constexpr W small = sizeof(W) == 4 ? W(0x1p-100) : W(0x1p-960);
  if (size < small) {
    constexpr W up = sizeof(W) == 4 ? W(0x1p60) : W(0x1p600);
    V scaled;
    for (int i = 0; i < static_cast<int>(V::size()); ++i) scaled[i] = E(W(v[i]) * up);
    const W scaled_size = detail::length_of<E>(scaled);
    for (int i = 0; i < static_cast<int>(V::size()); ++i) v[i] = E(W(scaled[i]) / scaled_size);
    return v;
  }
  for (int i = 0; i < static_cast<int>(V::size()); ++i) v[i] = E(W(v[i]) / size);
  return v;
}
/// The cross product of elements 0 to 2. A fourth element of the result is 0.
template <typename A, typename B, typename E = detail::float_element<A, B>>
inline auto cross(const A& a, const B& b) {
  using V = typename detail::common_shape<A, B>::value;
  static_assert(V::size() == 3 || V::size() == 4, "cross needs 3 or 4 elements");
  const V x = a, y = b;
  V result(E(0));
  result[0] = x[1] * y[2] - x[2] * y[1];
  result[1] = x[2] * y[0] - x[0] * y[2];
  result[2] = x[0] * y[1] - x[1] * y[0];
  return result;
}

/// The standard permits lower accuracy for the fast_ variants; in PRISM they are as accurate as the others.
template <typename A>
inline auto fast_length(const A& a) -> decltype(length(a)) {
  return length(a);
}
template <typename A, typename B>
inline auto fast_distance(const A& a, const B& b) -> decltype(distance(a, b)) {
  return distance(a, b);
}
template <typename A>
inline auto fast_normalize(const A& a) -> decltype(normalize(a)) {
  return normalize(a);
}

}
} // namespace sycl::_V1
