// asin, acos, atan, atan2. Reductions as in FDLIBM's e_asin.c, e_acos.c, e_atan2.c; atan by pi/4 + atan((x -
// 1) / (x + 1)) (W. J. Cody, W. Waite, 1980). Errors stay below 2 units; SYCL allows 4, 5 and 6.
#include "compiler/builtins/polynomials.hpp"
#include "compiler/builtins/trig_reduction.hpp"

namespace prism::builtins {

template <typename T>
inline T asin(T x) {
  const T size = absolute(x);
  if (is_nan(x) || size < (sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-27))) return x;
  if (size > T(1)) return quiet_nan<T>();
  if (size < T(0.5)) return x + x * x * x * asin_tail(x * x);
  const T z = (T(1) - size) * T(0.5), s = square_root(z); // asin x = pi/2 - 2 asin sqrt((1 - x) / 2)
  const T half = s + s * z * asin_tail(z);
  return with_sign(half_pi<T>::hi - (T(2) * half - half_pi<T>::lo), x);
}

template <typename T>
inline T acos(T x) {
  const T size = absolute(x);
  if (is_nan(x)) return x;
  if (size > T(1)) return quiet_nan<T>();
  if (size < T(0.5)) return half_pi<T>::hi - (x - (half_pi<T>::lo - x * x * x * asin_tail(x * x)));
  const T z = (T(1) - size) * T(0.5), s = square_root(z);
  const T half = s + s * z * asin_tail(z);
  return is_negative(x) ? T(2) * (half_pi<T>::hi - (half - half_pi<T>::lo)) : T(2) * half;
}

/// atan(x) for x >= 0, possibly infinite.
template <typename T>
inline T atan_positive(T x) {
  if (x > T(2.4142)) {
    const T t = T(-1) / x;
    return half_pi<T>::hi + (t + (t * t * t * atan_tail(t * t) + half_pi<T>::lo));
  }
  if (x > T(0.4142)) {
    const T t = (x - T(1)) / (x + T(1));
    return half_pi<T>::hi * T(0.5) + (t + (t * t * t * atan_tail(t * t) + half_pi<T>::lo * T(0.5)));
  }
  return x + x * x * x * atan_tail(x * x);
}

template <typename T>
inline T atan(T x) {
  if (is_nan(x) || absolute(x) < (sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-27))) return x;
  return with_sign(atan_positive(absolute(x)), x);
}

template <typename T>
inline T atan2(T y, T x) {
  if (is_nan(x) || is_nan(y)) return quiet_nan<T>();
  const T a = absolute(y), b = absolute(x);
  const T pi_hi = half_pi<T>::hi * T(2), pi_lo = half_pi<T>::lo * T(2);
  if (is_zero(y)) return is_negative(x) ? with_sign(pi_hi, y) : y;
  if (is_zero(x)) return with_sign(half_pi<T>::hi, y);
  T angle; // in the first quadrant
  bool reflected = is_negative(x);
  if (is_infinite(x)) {
    angle = is_infinite(y) ? half_pi<T>::hi * T(0.5) : T(0);
    if (reflected && is_infinite(y)) return with_sign(half_pi<T>::hi * T(1.5), y);
  } else if (is_infinite(y)) {
    return with_sign(half_pi<T>::hi, y);
  } else {
    // Divides the significands first and applies the scale afterwards, so that no intermediate value
    // underflows.
    const normalised<T> n = normalise(a), d = normalise(b);
    const int e = n.e - d.e;
    if (e > format<T>::fraction + 8) return with_sign(half_pi<T>::hi, y);
    const T quotient = scale(n.m / d.m, e);
    angle = e < -format<T>::fraction - 8 ? quotient : atan_positive(quotient);
  }
  if (reflected) angle = pi_hi - (angle - pi_lo);
  return with_sign(angle, y);
}

} // namespace prism::builtins

PRISM_DEFINE_1(asin, asin)
PRISM_DEFINE_1(acos, acos)
PRISM_DEFINE_1(atan, atan)
PRISM_DEFINE_2(atan2, atan2)
