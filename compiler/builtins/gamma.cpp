// tgamma, lgamma, lgamma_r. Polynomials on [1, 2]. Above, the recurrence; above a bound, Stirling's series
// with logarithm and product of twice the precision. Negative arguments: the reflection formula. tgamma's
// errors stay below 10 units (SYCL allows 16). lgamma is relatively accurate, except for negative arguments
// near its zeros (unbounded error).
#include "compiler/builtins/explog.hpp"

namespace prism::builtins {

template <typename T>
struct gamma_constants;
template <>
struct gamma_constants<float> {
  static constexpr float recurrence_limit = 10.0f, overflow = 36.0f, zero = 44.0f;
  static constexpr float half_log_2pi = 0x1.d67f1cp-1f, half_log_2pi_lo = 0x1.0c97d6p-26f,
                         pi = 0x1.921fb6p+1f;
};
template <>
struct gamma_constants<double> {
  static constexpr double recurrence_limit = 14.0, overflow = 172.0, zero = 186.0;
  static constexpr double half_log_2pi = 0x1.d67f1c864beb5p-1, half_log_2pi_lo = -0x1.65b5a1b7ff5dfp-55,
                          pi = 0x1.921fb54442d18p+1;
};

/// sin(pi x), x >= 0.
template <typename T>
inline T sin_of_pi_times(T x) {
  const T turns = x - T(2) * floor_of(x * T(0.5)); // [0, 2), exact
  const T q = nearest(turns * T(2)), r = (turns - q * T(0.5)) * gamma_constants<T>::pi;
  const T z = r * r;
  const T s = r + r * z * sin_tail(z), c = T(1) - (T(0.5) * z - z * z * cos_tail(z));
  switch (int(q) & 3) {
    case 0: return s;
    case 1: return c;
    case 2: return -s;
    default: return -c;
  }
}

/// log(gamma(x)) with twice the precision; x is at least 8.
template <typename T>
inline pair<T> stirling_pair(T x) {
  const T series = stirling(T(1) / (x * x)) / x;
  const pair<T> main = multiply(log_pair(x), x - T(0.5));
  return add(add(main, pair<T>{-x, T(0)}),
             pair<T>{gamma_constants<T>::half_log_2pi, gamma_constants<T>::half_log_2pi_lo + series});
}

template <typename T>
inline T tgamma_negative(T x) { // far from zero, not an integer: -pi / (y sin(pi y) gamma(y)), y = -x
  const T y = -x, sine = sin_of_pi_times(y);
  if (y > gamma_constants<T>::zero) return with_sign(T(0), -sine);
  const pair<T> l = stirling_pair(y);
  const exponential<T> e = exp_core(-l.hi, -l.lo);
  return scale((e.hi + e.lo) * (-gamma_constants<T>::pi / (y * sine)), e.k);
}

template <typename T>
inline T tgamma(T x) {
  if (is_nan(x) || x == infinity<T>()) return x;
  if (is_zero(x)) return with_sign(infinity<T>(), x);
  if (is_infinite(x) || (x < T(0) && floor_of(x) == x)) return quiet_nan<T>();
  if (absolute(x) < (sizeof(T) == 4 ? T(0x1p-26) : T(0x1p-56))) return T(1) / x;
  if (x > gamma_constants<T>::overflow) return infinity<T>();
  if (x > gamma_constants<T>::recurrence_limit) {
    const pair<T> l = stirling_pair(x);
    return exp_of(l.hi, l.lo);
  }
  if (x < -gamma_constants<T>::recurrence_limit) return tgamma_negative(x);
  T y = x, product = T(1);
  while (y > T(2)) {
    y -= T(1);
    product *= y;
  }
  T divisor = T(1);
  while (y < T(1)) {
    divisor *= y;
    y += T(1);
  }
  return gamma_unit(y - T(1.5)) * product / divisor;
}

template <typename T>
inline T natural_log(T x) { // x is positive and finite
  const pair<T> l = log_pair(x);
  return l.hi + l.lo;
}

template <typename T>
inline T lgamma_positive(T x) {
  if (x >= T(8)) {
    if (x > (sizeof(T) == 4 ? T(0x1p26) : T(0x1p56))) return x * (natural_log(x) - T(1));
    const T rest = gamma_constants<T>::half_log_2pi - T(0.5) + stirling(T(1) / (x * x)) / x;
    return (x - T(0.5)) * (natural_log(x) - T(1)) + rest;
  }
  T y = x, product = T(1);
  while (y > T(2)) {
    y -= T(1);
    product *= y;
  }
  if (y < T(1)) { // gamma(y + 1) / y, with the differences of y + 1, which may be rounded, taken from y
    return lgamma_unit(y - T(0.5)) * y * (y - T(1)) - natural_log(y);
  }
  const T unit = lgamma_unit(y - T(1.5)) * (y - T(1)) * (y - T(2));
  return product == T(1) ? unit : unit + natural_log(product);
}

template <typename T>
inline T lgamma(T x, int* sign) {
  *sign = 1;
  if (is_nan(x)) return x;
  if (is_infinite(x)) return infinity<T>();
  if (is_zero(x)) {
    *sign = is_negative(x) ? -1 : 1;
    return infinity<T>();
  }
  if (absolute(x) < (sizeof(T) == 4 ? T(0x1p-26) : T(0x1p-56))) {
    *sign = is_negative(x) ? -1 : 1;
    return -natural_log(absolute(x));
  }
  if (x > T(0)) return lgamma_positive(x);
  if (floor_of(x) == x) return infinity<T>();
  const T y = -x, sine = sin_of_pi_times(y);
  *sign = sine > T(0) ? -1 : 1;
  return natural_log(gamma_constants<T>::pi / (y * absolute(sine))) - lgamma_positive(y);
}

} // namespace prism::builtins

PRISM_DEFINE_1(tgamma, tgamma)
extern "C" float PRISM_BUILTIN(lgammaf_r)(float x, int* sign) { return prism::builtins::lgamma(x, sign); }
extern "C" double PRISM_BUILTIN(lgamma_r)(double x, int* sign) { return prism::builtins::lgamma(x, sign); }
extern "C" float PRISM_BUILTIN(lgammaf)(float x) {
  int sign;
  return prism::builtins::lgamma(x, &sign);
}
extern "C" double PRISM_BUILTIN(lgamma)(double x) {
  int sign;
  return prism::builtins::lgamma(x, &sign);
}
