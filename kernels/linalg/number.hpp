// Numbers of the decompositions: a real type, or a pair of reals in the layout of std::complex, with one set
// of functions for both, so that an algorithm is written once. In kernels and on the host. Products of
// complex numbers have four terms and no recovery of infinities, as in the BLAS.
#pragma once

#include <sycl/sycl.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace prism::linalg {

template <typename R>
struct pair {
  using real = R;
  R re, im;
  pair() = default;
  constexpr pair(R real_part, R imaginary = R(0)) : re(real_part), im(imaginary) {}
  friend constexpr pair operator+(pair a, pair b) { return {a.re + b.re, a.im + b.im}; }
  friend constexpr pair operator-(pair a, pair b) { return {a.re - b.re, a.im - b.im}; }
  friend constexpr pair operator-(pair a) { return {-a.re, -a.im}; }
  friend constexpr pair operator*(pair a, pair b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend constexpr pair operator*(R a, pair b) { return {a * b.re, a * b.im}; }
  friend constexpr pair operator*(pair a, R b) { return {a.re * b, a.im * b}; }
  friend constexpr pair operator/(pair a, R b) { return {a.re / b, a.im / b}; }
  /// Smith 1962: without overflow of the divisor's square.
  friend pair operator/(pair a, pair b) {
    if (sycl::fabs(b.re) >= sycl::fabs(b.im)) {
      const R ratio = b.im / b.re, scale = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    const R ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
  }
  pair& operator+=(pair a) { return *this = *this + a; }
  pair& operator-=(pair a) { return *this = *this - a; }
  pair& operator*=(pair a) { return *this = *this * a; }
  friend constexpr bool operator==(pair a, pair b) { return a.re == b.re && a.im == b.im; }
};

template <typename E>
inline constexpr bool is_pair = false;
template <typename R>
inline constexpr bool is_pair<pair<R>> = true;

template <typename E>
struct real_part_of {
  using type = E;
};
template <typename R>
struct real_part_of<pair<R>> {
  using type = R;
};
/// The real type of a number.
template <typename E>
using real_of_number = typename real_part_of<E>::type;

/// The number of an operand's element type.
template <typename T>
struct number_of_element {
  using type = T;
};
template <typename R>
struct number_of_element<std::complex<R>> {
  using type = pair<R>;
};
template <typename T>
using number = typename number_of_element<T>::type;

template <typename E>
constexpr E conj(E a) {
  if constexpr (is_pair<E>) return {a.re, -a.im};
  else return a;
}
template <typename E>
constexpr real_of_number<E> re_of(E a) {
  if constexpr (is_pair<E>) return a.re;
  else return a;
}
template <typename E>
constexpr real_of_number<E> im_of(E a) {
  if constexpr (is_pair<E>) return a.im;
  else return E(0);
}
/// |re| + |im|, by which pivots are chosen (as in the LAPACK).
template <typename E>
real_of_number<E> abs1(E a) {
  if constexpr (is_pair<E>) return sycl::fabs(a.re) + sycl::fabs(a.im);
  else return sycl::fabs(a);
}
template <typename E>
real_of_number<E> abs(E a) {
  if constexpr (is_pair<E>) return sycl::hypot(a.re, a.im);
  else return sycl::fabs(a);
}
/// |a|^2.
template <typename E>
constexpr real_of_number<E> square(E a) {
  if constexpr (is_pair<E>) return a.re * a.re + a.im * a.im;
  else return a * a;
}
template <typename E>
bool is_finite(E a) {
  if constexpr (is_pair<E>) return sycl::isfinite(a.re) && sycl::isfinite(a.im);
  else return sycl::isfinite(a);
}
template <typename R>
constexpr R unit_roundoff() {
  return std::numeric_limits<R>::epsilon() / 2;
}

} // namespace prism::linalg
