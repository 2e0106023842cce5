// exp, exp2, exp10, expm1 and the hyperbolic functions, for T = float and double. Reduction to |r| <= ln 2 /
// 2 by two-part constants (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980); the
// hyperbolic formulas are those of FDLIBM's e_sinh.c, e_cosh.c and s_tanh.c.
#pragma once

#include "compiler/builtins/explog.hpp"

namespace prism::builtins {

template <typename T>
inline constexpr T tiny = sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28); // below it x + O(x^3) rounds to x
template <typename T>
inline constexpr T saturation = sizeof(T) == 4 ? T(10) : T(22); // beyond it e^-2x is below half a unit

template <typename T>
inline T exp(T x) {
  if (is_nan(x)) return x;
  return exp_of(x, T(0));
}

template <typename T>
inline T exp2(T x) {
  if (is_nan(x)) return x;
  if (x >= T(format<T>::max_exponent + 1)) return infinity<T>();
  if (x < T(format<T>::min_exponent - format<T>::fraction - 2)) return T(0);
  constexpr T hi = sizeof(T) == 4 ? T(0x1.62e430p-1) : T(0x1.62e42fefa39efp-1);
  constexpr T lo = sizeof(T) == 4 ? T(-0x1.05c610p-29) : T(0x1.abc9e3b39803fp-56);
  const T k = nearest(x), f = x - k;
  const pair<T> r = two_product(f, hi);
  const exponential<T> e = exp_core(r.hi, r.lo + f * lo);
  return scale(e.hi + e.lo, e.k + int(k));
}

template <typename T>
inline T exp10(T x) {
  if (is_nan(x)) return x;
  constexpr bool single = sizeof(T) == 4;
  if (x > (single ? T(39) : T(309))) return infinity<T>();
  if (x < (single ? T(-46) : T(-325))) return T(0);
  constexpr T log2_10 = single ? T(0x1.a934f0p+1) : T(0x1.a934f0979a371p+1);
  constexpr T unit_hi = single ? T(0x1.3440p-2) : T(0x1.34413509f7p-2); // log10(2)
  constexpr T unit_lo = single ? T(0x1.3509f8p-18) : T(0x1.3fde623e2566bp-43);
  constexpr T ln10_hi = single ? T(0x1.26bb1cp+1) : T(0x1.26bb1bbb55516p+1);
  constexpr T ln10_lo = single ? T(-0x1.12aabap-25) : T(-0x1.f48ad494ea3e9p-53);
  const T k = nearest(x * log2_10), a = x - k * unit_hi, b = k * unit_lo, f = a - b, rest = (a - f) - b;
  const pair<T> r = two_product(f, ln10_hi);
  const exponential<T> e = exp_core(r.hi, r.lo + (f * ln10_lo + rest * ln10_hi));
  return scale(e.hi + e.lo, e.k + int(k));
}

template <typename T>
inline T expm1(T x) {
  const T size = absolute(x);
  if (is_nan(x) || size < (sizeof(T) == 4 ? T(0x1p-25) : T(0x1p-54))) return x;
  if (size < T(0.5)) return x + x * x * exp_tail(x);
  if (x > exp_limits<T>::overflow) return infinity<T>();
  if (x < (sizeof(T) == 4 ? T(-18) : T(-38))) return T(-1);
  const exponential<T> e = exp_core(x, T(0));
  if (e.k > 60) return scale(e.hi + e.lo, e.k);
  const T s = power_of_two<T>(e.k);
  const pair<T> sum = two_sum(e.hi * s, T(-1));
  return sum.hi + (sum.lo + e.lo * s);
}

template <typename T>
inline T sinh(T x) {
  const T size = absolute(x);
  if (!is_finite(x) || size < tiny<T>) return x;
  T result;
  if (size < saturation<T>) {
    const T t = expm1(size);
    result = size < T(1) ? T(0.5) * (T(2) * t - t * t / (t + T(1))) : T(0.5) * (t + t / (t + T(1)));
  } else if (size > exp_limits<T>::overflow + T(1)) {
    result = infinity<T>();
  } else {
    const exponential<T> e = exp_core(size, T(0));
    result = scale(e.hi + e.lo, e.k - 1);
  }
  return with_sign(result, x);
}

template <typename T>
inline T cosh(T x) {
  const T size = absolute(x);
  if (is_nan(x)) return x;
  if (size > exp_limits<T>::overflow + T(1)) return infinity<T>();
  const exponential<T> e = exp_core(size, T(0));
  if (size >= saturation<T>) return scale(e.hi + e.lo, e.k - 1);
  const T v = (e.hi + e.lo) * power_of_two<T>(e.k);
  return T(0.5) * v + T(0.5) / v;
}

template <typename T>
inline T tanh(T x) {
  const T size = absolute(x);
  if (is_nan(x) || size < tiny<T>) return x;
  T result = T(1);
  if (size < T(1)) {
    const T t = expm1(T(-2) * size);
    result = -t / (t + T(2));
  } else if (size < saturation<T>) {
    result = T(1) - T(2) / (expm1(T(2) * size) + T(2));
  }
  return with_sign(result, x);
}

} // namespace prism::builtins
