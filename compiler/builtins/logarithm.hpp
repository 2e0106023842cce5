// Logarithms and inverse hyperbolic functions, for T = float and double, after FDLIBM's e_log.c, e_log2.c
// (split product), e_log10.c, s_log1p.c, e_acosh.c, s_asinh.c, e_atanh.c, with polynomials of
// fit_polynomials.py.
#pragma once

#include "compiler/builtins/explog.hpp"

namespace prism::builtins {

/// True for arguments whose logarithm needs no computation; it is then in `result`.
template <typename T>
inline bool log_special(T x, T& result) {
  if (is_zero(x)) {
    result = -infinity<T>();
  } else if (is_nan(x)) {
    result = x;
  } else if (is_negative(x)) {
    result = quiet_nan<T>();
  } else if (is_infinite(x)) {
    result = x;
  } else {
    return false;
  }
  return true;
}

template <typename T>
inline T log(T x) {
  T special;
  if (log_special(x, special)) return special;
  const log_argument<T> a = split_for_log(x);
  const log_parts<T> p = log_core(a.f);
  const T k = T(a.k);
  return k * ln2<T>::hi - ((p.half_square - (p.correction + k * ln2<T>::lo)) - a.f);
}

// 1 / ln 2 and 1 / ln 10 in two parts. The product of the first with half a significand is exact.
template <typename T>
struct inverse_logs;
template <>
struct inverse_logs<float> {
  static constexpr float two_hi = 0x1.714p+0f, two_lo = 0x1.47652cp-12f;
  static constexpr float ten_hi = 0x1.bcap-2f, ten_lo = 0x1.7b1526p-14f;
  static constexpr float log10_2_hi = 0x1.344p-2f, log10_2_lo = 0x1.3509f8p-18f;
};
template <>
struct inverse_logs<double> {
  static constexpr double two_hi = 0x1.71547p+0, two_lo = 0x1.94ae0bf85ddf4p-22;
  static constexpr double ten_hi = 0x1.bcb7bp-2, ten_lo = 0x1.526e50e32a6abp-26;
  static constexpr double log10_2_hi = 0x1.34413509f7p-2, log10_2_lo = 0x1.3fde623e2566bp-43;
};

/// base_hi + base_lo plus log(1 + f) * (scale_hi + scale_lo).
template <typename T>
inline T scaled_log(T f, T scale_hi, T scale_lo, T base_hi, T base_lo) {
  const log_parts<T> p = log_core(f);
  const T hi = upper_half(f - p.half_square);
  const T lo = ((f - hi) - p.half_square) + p.correction;
  const pair<T> sum = two_sum(base_hi, hi * scale_hi);
  return sum.hi + (sum.lo + (base_lo + (lo * scale_hi + (lo + hi) * scale_lo)));
}

template <typename T>
inline T log2(T x) {
  T special;
  if (log_special(x, special)) return special;
  const log_argument<T> a = split_for_log(x);
  return scaled_log(a.f, inverse_logs<T>::two_hi, inverse_logs<T>::two_lo, T(a.k), T(0));
}

template <typename T>
inline T log10(T x) {
  T special;
  if (log_special(x, special)) return special;
  const log_argument<T> a = split_for_log(x);
  const T k = T(a.k);
  return scaled_log(a.f, inverse_logs<T>::ten_hi, inverse_logs<T>::ten_lo, k * inverse_logs<T>::log10_2_hi,
                    k * inverse_logs<T>::log10_2_lo);
}

template <typename T>
inline T log1p(T x) {
  if (absolute(x) < (sizeof(T) == 4 ? T(0x1p-25) : T(0x1p-54))) return x;
  if (x == T(-1)) return -infinity<T>();
  if (is_nan(x) || x == infinity<T>()) return x;
  if (x < T(-1)) return quiet_nan<T>();
  if (x > T(-0.29) && x < T(0.41)) {
    const log_parts<T> p = log_core(x);
    return x - (p.half_square - p.correction);
  }
  const pair<T> u = two_sum(T(1), x); // log(hi + lo) = log(hi) + lo / hi
  const log_argument<T> a = split_for_log(u.hi);
  const log_parts<T> p = log_core(a.f);
  const T k = T(a.k);
  return k * ln2<T>::hi - ((p.half_square - (p.correction + (k * ln2<T>::lo + u.lo / u.hi))) - a.f);
}

template <typename T>
inline constexpr T large = sizeof(T) == 4 ? T(0x1p14) : T(0x1p28); // above it x^2 + 1 rounds to x^2

template <typename T>
inline T log_of_twice(T x) { // log(2 x) without overflow
  const log_argument<T> a = split_for_log(x);
  const log_parts<T> p = log_core(a.f);
  const T k = T(a.k + 1);
  return k * ln2<T>::hi - ((p.half_square - (p.correction + k * ln2<T>::lo)) - a.f);
}

template <typename T>
inline T asinh(T x) {
  const T size = absolute(x);
  if (!is_finite(x) || size < (sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28))) return x;
  T result;
  if (size > large<T>) {
    result = log_of_twice(size);
  } else if (size > T(2)) {
    result = log(T(2) * size + T(1) / (square_root(size * size + T(1)) + size));
  } else {
    const T square = size * size;
    result = log1p(size + square / (T(1) + square_root(T(1) + square)));
  }
  return with_sign(result, x);
}

template <typename T>
inline T acosh(T x) {
  if (!(x >= T(1))) return is_nan(x) ? x : quiet_nan<T>();
  if (is_infinite(x)) return x;
  if (x > large<T>) return log_of_twice(x);
  if (x > T(2)) return log(T(2) * x - T(1) / (x + square_root(x * x - T(1))));
  const T t = x - T(1);
  return log1p(t + square_root(T(2) * t + t * t));
}

template <typename T>
inline T atanh(T x) {
  const T size = absolute(x);
  if (is_nan(x) || size < (sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28))) return x;
  if (size > T(1)) return quiet_nan<T>();
  if (size == T(1)) return with_sign(infinity<T>(), x);
  const T twice = size + size;
  const T result = size < T(0.5) ? T(0.5) * log1p(twice + twice * size / (T(1) - size))
                                 : T(0.5) * log1p(twice / (T(1) - size));
  return with_sign(result, x);
}

} // namespace prism::builtins
