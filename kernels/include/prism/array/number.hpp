// The arithmetic of programs: what each operation means for integers, floating-point and complex numbers.
// Complex functions are those of std::complex: C's library has them on the host, the compiler's math library
// (compiler/builtins/complex_functions.cpp) on other devices.
#pragma once

#include <prism/array/dtype.hpp>
#include <sycl/sycl.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::array_detail {

/// A complex number, laid out as std::complex.
template <typename R>
struct pair {
  R re, im;
  pair() = default;
  explicit pair(R r) : re(r), im(0) {}
  explicit pair(int r) : re(R(r)), im(0) {}
  explicit pair(bool r) : re(R(r)), im(0) {}
  template <typename A, typename B>
  pair(A r, B i) : re(R(r)), im(R(i)) {}
};

/// An element of a bool array: one byte, 0 or 1.
struct truth_value {
  std::uint8_t bits;
};

template <typename T>
inline constexpr bool is_pair = false;
template <typename R>
inline constexpr bool is_pair<pair<R>> = true;

/// Whether kernels of this arithmetic use double. float and complex64 must run where there is none.
template <typename T>
inline constexpr bool has_double = std::is_same_v<T, double> || std::is_same_v<T, pair<double>>;

template <typename T>
inline constexpr dtype type_of_arithmetic = dtype_of<T>();
template <>
inline constexpr dtype type_of_arithmetic<pair<float>> = dtype::complex64;
template <>
inline constexpr dtype type_of_arithmetic<pair<double>> = dtype::complex128;

/// C++'s conversion, but numbers beyond the integer type become the least integer, as on x86-64.
template <typename To, typename From>
inline To converted(From x) {
  if constexpr (std::is_same_v<From, truth_value>) return converted<To>(std::int32_t(x.bits != 0));
  else if constexpr (std::is_same_v<To, truth_value>) {
    if constexpr (is_pair<From>) return {std::uint8_t((x.re != 0) | (x.im != 0))};
    else return {std::uint8_t(x != From(0))};
  } else if constexpr (is_pair<To>) {
    if constexpr (is_pair<From>) return To(x.re, x.im);
    else return To(x, 0);
  } else if constexpr (is_pair<From>) return converted<To>(x.re);
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if constexpr (std::is_same_v<To, std::uint64_t>) {
      if (x >= From(9223372036854775808.0) && x < From(18446744073709551616.0))
        return std::uint64_t(std::int64_t(x - From(9223372036854775808.0))) + (std::uint64_t(1) << 63);
    }
    const bool fits = x >= From(-9223372036854775808.0) && x < From(9223372036854775808.0);
    return To(fits ? std::int64_t(x) : std::numeric_limits<std::int64_t>::min());
  } else return static_cast<To>(x);
}

template <typename T, typename = void>
struct functions;

template <typename T>
struct functions<T, std::enable_if_t<std::is_integral_v<T>>> {
  static constexpr bool is_integer = true, is_complex = false;
  using U = std::make_unsigned_t<T>;
  static T add(T a, T b) { return T(U(a) + U(b)); }
  static T subtract(T a, T b) { return T(U(a) - U(b)); }
  static T negative(T a) { return subtract(0, a); }
  static T multiply(T a, T b) { return T(U(a) * U(b)); }
  static bool equal(T a, T b) { return a == b; }
  static bool truth(T a) { return a != 0; }
  static T abs(T a) { return a < 0 ? subtract(0, a) : a; }
  static T sign(T a) { return T(a > 0) - T(a < 0); }
  static T maximum(T a, T b) { return a < b ? b : a; }
  static T minimum(T a, T b) { return b < a ? b : a; }
  static T fmax(T a, T b) { return maximum(a, b); }
  static T fmin(T a, T b) { return minimum(a, b); }
  // Division by zero gives 0, as in NumPy; the least integer by -1 wraps.
  static T floor_divide(T a, T b) {
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == T(-1)) return subtract(0, a);
    const T q = a / b;
    return q - T((a % b != 0) && ((a < 0) != (b < 0)));
  }
  static T remainder(T a, T b) {
    if (b == 0 || (std::is_signed_v<T> && b == T(-1))) return 0;
    const T r = a % b;
    return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
  }
  static T power(T a, T b) { // of a negative exponent: 0, but 1 and -1 have inverses
    if (b < 0) return a == 1 ? 1 : a == T(-1) ? (b & 1 ? T(-1) : T(1)) : T(0);
    T r = 1;
    for (; b > 0; b >>= 1) {
      if (b & 1) r = multiply(r, a);
      a = multiply(a, a);
    }
    return r;
  }
  static T shift_left(T a, T b) { return b >= 0 && b < 64 ? T(U(a) << U(b)) : T(0); }
  static T shift_right(T a, T b) { return b >= 0 && b < 64 ? a >> b : a < 0 ? T(-1) : T(0); }
};

template <typename T>
struct functions<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr bool is_integer = false, is_complex = false;
  static T add(T a, T b) { return a + b; }
  static T subtract(T a, T b) { return a - b; }
  static T negative(T a) { return -a; } // of 0 it is -0
  static T multiply(T a, T b) { return a * b; }
  static T divide(T a, T b) { return a / b; }
  static bool equal(T a, T b) { return a == b; }
  static bool truth(T a) { return a != 0; }
  static T abs(T a) { return sycl::fabs(a); }
  static T sign(T a) { return a != a ? a : T(a > 0) - T(a < 0); }
  static T maximum(T a, T b) { return a != a ? a : b != b ? b : a < b ? b : a; }
  static T minimum(T a, T b) { return a != a ? a : b != b ? b : b < a ? b : a; }
  // NaN is no number: the other operand is the result.
  static T fmax(T a, T b) { return (b > a) | (a != a) ? b : a; }
  static T fmin(T a, T b) { return (b < a) | (a != a) ? b : a; }
  static T remainder(T a, T b) { // the sign of b
    const T r = sycl::fmod(a, b);
    if (r == 0) return sycl::copysign(T(0), b);
    return (r < 0) != (b < 0) ? r + b : r;
  }
  static T floor_divide(T a, T b) {
    if (b == 0) return a / b;
    const T r = sycl::fmod(a, b);
    T q = (a - r) / b;
    if (r != 0 && ((r < 0) != (b < 0))) q -= 1;
    if (q == 0) return sycl::copysign(T(0), a / b);
    const T whole = sycl::floor(q);
    return q - whole > T(0.5) ? whole + 1 : whole;
  }
  /// By products or a root where those compute it, for numbers and arrays of exponents alike.
  static T power(T a, T b) {
    if (b == 2) return a * a;
    if (b == T(0.5)) return half_power(a);
    if (b == 3) return a * a * a;
    if (b == 4) return (a * a) * (a * a);
    return b == -1 ? 1 / a : sycl::pow(a, b);
  }
  static T half_power(T a) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    return a == -infinity ? infinity : sycl::sqrt(a + 0); // -0 + 0 is 0
  }
  static T floor(T a) { return sycl::floor(a); }
  static T ceil(T a) { return sycl::ceil(a); }
  static T trunc(T a) { return sycl::trunc(a); }
  static T round(T a) { return sycl::rint(a); }
  static bool isnan(T a) { return a != a; }
  static bool isinf(T a) { return sycl::fabs(a) == std::numeric_limits<T>::infinity(); }
  static bool isfinite(T a) { return sycl::fabs(a) < std::numeric_limits<T>::infinity(); }
  static T logaddexp(T a, T b) {
    if (a == b) return a + T(0.693147180559945309417);
    const T d = a - b;
    return d > 0 ? a + sycl::log1p(sycl::exp(-d)) : d <= 0 ? b + sycl::log1p(sycl::exp(d)) : d;
  }
  static T sqrt(T a) { return sycl::sqrt(a); }
  static T cbrt(T a) { return sycl::cbrt(a); }
  static T exp(T a) { return sycl::exp(a); }
  static T exp2(T a) { return sycl::exp2(a); }
  static T expm1(T a) { return sycl::expm1(a); }
  static T log(T a) { return sycl::log(a); }
  static T log1p(T a) { return sycl::log1p(a); }
  static T log2(T a) { return sycl::log2(a); }
  static T log10(T a) { return sycl::log10(a); }
  static T sin(T a) { return sycl::sin(a); }
  static T cos(T a) { return sycl::cos(a); }
  static T tan(T a) { return sycl::tan(a); }
  static T asin(T a) { return sycl::asin(a); }
  static T acos(T a) { return sycl::acos(a); }
  static T atan(T a) { return sycl::atan(a); }
  static T sinh(T a) { return sycl::sinh(a); }
  static T cosh(T a) { return sycl::cosh(a); }
  static T tanh(T a) { return sycl::tanh(a); }
  static T asinh(T a) { return sycl::asinh(a); }
  static T acosh(T a) { return sycl::acosh(a); }
  static T atanh(T a) { return sycl::atanh(a); }
};

template <typename R>
struct functions<pair<R>> {
  static constexpr bool is_integer = false, is_complex = true;
  using T = pair<R>;
  using f = functions<R>;
  static T add(T a, T b) { return {a.re + b.re, a.im + b.im}; }
  static T subtract(T a, T b) { return {a.re - b.re, a.im - b.im}; }
  static T negative(T a) { return {-a.re, -a.im}; }
  static T multiply(T a, T b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  static T scaled(T a, R s) { return {a.re * s, a.im * s}; }
  static T divide(T a, T b) { // Smith 1962
    if (sycl::fabs(b.re) >= sycl::fabs(b.im)) {
      const R r = b.re == 0 ? R(0) : b.im / b.re, d = b.re + b.im * r;
      return {(a.re + a.im * r) / d, (a.im - a.re * r) / d};
    }
    const R r = b.re / b.im, d = b.re * r + b.im;
    return {(a.re * r + a.im) / d, (a.im * r - a.re) / d};
  }
  static bool equal(T a, T b) { return (a.re == b.re) & (a.im == b.im); }
  static bool truth(T a) { return (a.re != 0) | (a.im != 0); }
  static R size(T a) { return sycl::hypot(a.re, a.im); }
  static T abs(T a) { return {size(a), R(0)}; }
  static T sign(T a) {
    const R s = size(a);
    return s == 0 ? T(0) : T(a.re / s, a.im / s);
  }
  static T conj(T a) { return {a.re, -a.im}; }
  static T floor(T a) { return a; }
  static T ceil(T a) { return a; }
  static T trunc(T a) { return a; }
  static T round(T a) { return {sycl::rint(a.re), sycl::rint(a.im)}; }
  static bool isnan(T a) { return (a.re != a.re) | (a.im != a.im); }
  static bool isinf(T a) { return f::isinf(a.re) || f::isinf(a.im); }
  static bool isfinite(T a) { return f::isfinite(a.re) && f::isfinite(a.im); }
  using standard = std::complex<R>;
  static standard of(T a) { return {a.re, a.im}; }
  static T from(standard a) { return {a.real(), a.imag()}; }
  static T sqrt(T a) { return from(std::sqrt(of(a))); }
  static T exp(T a) { return from(std::exp(of(a))); }
  static T expm1(T a) {
    if (a.im == 0) return {sycl::expm1(a.re), a.im};
    const T e = exp(a);
    if (!(a.re < 20)) return {e.re - 1, e.im};
    const R s = sycl::sin(a.im / 2);
    return {sycl::isinf(a.re) ? R(-1) : sycl::expm1(a.re) * sycl::cos(a.im) - 2 * s * s, e.im};
  }
  static T exp2(T a) { return exp(scaled(a, R(0.693147180559945309417))); }
  static T log(T a) { return from(std::log(of(a))); }
  static T log1p(T a) { // the logarithm of the rounded 1 + a, and the effect of what rounding lost
    const R u = 1 + a.re, less = u - 1, lost = (1 - (u - less)) + (a.re - less);
    const T l = log(T(u, a.im));
    if (lost == 0 || !(sycl::fabs(u) < 1000)) return l;
    return {l.re + lost * u / (u * u + a.im * a.im), l.im};
  }
  static T log2(T a) { return scaled(log(a), R(1.442695040888963407360)); }
  static T log10(T a) { return scaled(log(a), R(0.434294481903251827651)); }
  static T power(T a, T b) {
    if (!truth(b)) return T(1);
    if (!truth(a)) return T(0);
    const R n = sycl::fabs(b.re);
    if (b.im == 0 && n < 100 && n == sycl::floor(n)) { // exact where the products are, as in NumPy
      T r(1);
      for (int k = int(n); k > 0; k >>= 1) {
        if (k & 1) r = multiply(r, a);
        a = multiply(a, a);
      }
      return b.re < 0 ? divide(T(1), r) : r;
    }
    return exp(multiply(b, log(a)));
  }
  static T sin(T a) { return from(std::sin(of(a))); }
  static T cos(T a) { return from(std::cos(of(a))); }
  static T tan(T a) { return from(std::tan(of(a))); }
  static T sinh(T a) { return from(std::sinh(of(a))); }
  static T cosh(T a) { return from(std::cosh(of(a))); }
  static T tanh(T a) { return from(std::tanh(of(a))); }
  static T asin(T a) { return from(std::asin(of(a))); }
  static T acos(T a) { return from(std::acos(of(a))); }
  static T atan(T a) { return from(std::atan(of(a))); }
  static T asinh(T a) { return from(std::asinh(of(a))); }
  static T acosh(T a) { return from(std::acosh(of(a))); }
  static T atanh(T a) { return from(std::atanh(of(a))); }
};

} // namespace prism::array_detail

#include <sycl/detail/user_macros_restore.hpp>
