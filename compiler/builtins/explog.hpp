// Exponentials and logarithms whose result is a sum of two numbers, for pow, the gamma functions and erfc.
// Also the functions with a result of plain precision that exp, log and the hyperbolic functions share. For T
// = float and double.
#pragma once

#include "compiler/builtins/core.hpp"
#include "compiler/builtins/polynomials.hpp"

namespace prism::builtins {

// ln 2 in two parts. The first has so many trailing zeros that k * ln2_hi is exact for every exponent k.
template <typename T>
struct ln2;
template <>
struct ln2<float> {
  static constexpr float hi = 0x1.62e400p-1f, lo = 0x1.7f7d1cp-20f, rest = 0x1.ef357ap-45f,
                         inverse = 0x1.715476p+0f;
};
template <>
struct ln2<double> {
  static constexpr double hi = 0x1.62e42fefa3p-1, lo = 0x1.3de6af278ece6p-42, rest = 0x1.f97b57a079a19p-103,
                          inverse = 0x1.71547652b82fep+0;
};

/// e^x = 2^k * (1 + r + tail) with x = k ln2 + r, in two parts: hi + lo. |k| is below 2^12.
template <typename T>
struct exponential {
  T hi, lo;
  int k;
};

/// e^(hi + lo); |hi| must be below 2^11 (double) or 2^8 (float). Relative error below 0.6 units without
/// rounding.
template <typename T>
inline exponential<T> exp_core(T hi, T lo) {
  const T k = nearest(hi * ln2<T>::inverse);
  const T a = hi - k * ln2<T>::hi; // exact
  const T b = k * ln2<T>::lo - lo;
  const T r = a - b, error = (a - r) - b;
  const T tail = r * r * exp_tail(r) + (error + error * r);
  const pair<T> sum = fast_two_sum(T(1), r);
  return {sum.hi, sum.lo + tail, int(k)};
}

template <typename T>
struct exp_limits;
template <>
struct exp_limits<float> {
  static constexpr float overflow = 89.0f, underflow = -104.0f;
};
template <>
struct exp_limits<double> {
  static constexpr double overflow = 710.0, underflow = -746.0;
};

/// e^(hi + lo), for any arguments but NaN.
template <typename T>
inline T exp_of(T hi, T lo) {
  if (hi > exp_limits<T>::overflow) return infinity<T>();
  if (hi < exp_limits<T>::underflow) return T(0);
  const exponential<T> e = exp_core(hi, lo);
  return scale(e.hi + e.lo, e.k);
}

/// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). x positive and finite.
template <typename T>
struct log_argument {
  T f;
  int k;
};
template <typename T>
inline log_argument<T> split_for_log(T x) {
  normalised<T> n = normalise(x);
  if (n.m > T(1.41421356)) {
    n.m *= T(0.5);
    n.e += 1;
  }
  return {n.m - T(1), n.e};
}

/// log(1 + f) = f - half_square + s * (half_square + R): the two parts of FDLIBM's e_log.c.
template <typename T>
struct log_parts {
  T half_square, correction;
};
template <typename T>
inline log_parts<T> log_core(T f) {
  const T s = f / (T(2) + f), z = s * s, half_square = T(0.5) * f * f;
  return {half_square, s * (half_square + z * log_tail(z))};
}

/// log(x) with about twice the precision of T; x positive and finite.
template <typename T>
inline pair<T> log_pair(T x) {
  const log_argument<T> a = split_for_log(x);
  // s = f / (2 + f) in two parts: 2 + f may not be exact.
  const pair<T> denominator = two_sum(T(2), a.f);
  const T q = a.f / denominator.hi;
  const pair<T> back = two_product(q, denominator.hi);
  const pair<T> s = fast_two_sum(q, (((a.f - back.hi) - back.lo) - q * denominator.lo) / denominator.hi);
  const pair<T> z = multiply(s, s);
  // log(1 + f) = 2 s (1 + z (1/3 + z W(z)))
  constexpr T third = T(1) / T(3);
  constexpr T third_rest = sizeof(T) == 4 ? T(-0x1.555556p-27) : T(0x1.5555555555555p-56);
  const pair<T> inner = add(pair<T>{third, third_rest}, z.hi * pow_tail(z.hi));
  const pair<T> t = multiply(z, inner);
  const pair<T> twice = {s.hi * T(2), s.lo * T(2)};
  const pair<T> log_m = add(twice, multiply(twice, t));
  if (a.k == 0) return log_m;
  const T k = T(a.k);
  const pair<T> scaled = {k * ln2<T>::lo, k * ln2<T>::rest};
  return add(add(pair<T>{k * ln2<T>::hi, T(0)}, two_sum(scaled.hi, scaled.lo)), log_m);
}

} // namespace prism::builtins
