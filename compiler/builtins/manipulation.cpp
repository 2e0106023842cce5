// Functions on the representation, and other exact functions: frexp, ldexp and its variants, ilogb, logb,
// modf, nextafter, round, l(l)rint, l(l)round, fdim, fmax, fmin, copysign, fabs, nan. All are exact (fdim
// rounds once).
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

template <typename T>
inline T frexp(T x, int* exponent) {
  *exponent = 0;
  if (!is_finite(x) || is_zero(x)) return x;
  const normalised<T> n = normalise(x);
  *exponent = n.e + 1;
  return with_sign(n.m * T(0.5), x);
}

template <typename T>
inline int ilogb(T x) {
  if (is_zero(x)) return -2147483647 - 1; // FP_ILOGB0 and FP_ILOGBNAN of x86-64 glibc
  if (is_nan(x)) return -2147483647 - 1;
  if (is_infinite(x)) return 2147483647;
  return normalise(x).e;
}

template <typename T>
inline T logb(T x) {
  if (is_zero(x)) return -infinity<T>();
  if (is_nan(x)) return x;
  if (is_infinite(x)) return infinity<T>();
  return T(normalise(x).e);
}

template <typename T>
inline T modf(T x, T* whole) {
  if (is_infinite(x)) {
    *whole = x;
    return with_sign(T(0), x);
  }
  const T t = with_sign(truncated(x), x);
  *whole = t;
  return is_nan(x) ? x : with_sign(x - t, x);
}

template <typename T>
inline T nextafter(T x, T y) {
  if (is_nan(x) || is_nan(y)) return quiet_nan<T>();
  if (to_bits(x) == to_bits(y) || (is_zero(x) && is_zero(y))) return y;
  if (is_zero(x)) return from_bits<T>((to_bits(y) & sign_bit<T>) | 1u);
  // The magnitude grows if y is further from zero on the same side.
  const bool grows = is_negative(x) == is_negative(y) && magnitude(y) > magnitude(x);
  return from_bits<T>(grows ? to_bits(x) + 1u : to_bits(x) - 1u);
}

/// Rounds halves away from zero.
template <typename T>
inline T round(T x) {
  const T t = truncated(x);
  if (absolute(x - t) >= T(0.5)) return with_sign(t + with_sign(T(1), x), x);
  return is_finite(x) ? with_sign(t, x) : x;
}

template <typename T>
inline T fdim(T x, T y) {
  if (is_nan(x) || is_nan(y)) return quiet_nan<T>();
  return x > y ? x - y : T(0);
}
template <typename T>
inline T fmax(T x, T y) {
  if (is_nan(x)) return y;
  if (is_nan(y)) return x;
  if (is_zero(x) && is_zero(y)) return is_negative(x) ? y : x;
  return x < y ? y : x;
}
template <typename T>
inline T fmin(T x, T y) {
  if (is_nan(x)) return y;
  if (is_nan(y)) return x;
  if (is_zero(x) && is_zero(y)) return is_negative(x) ? x : y;
  return y < x ? y : x;
}

} // namespace prism::builtins

PRISM_DEFINE_1(logb, logb)
PRISM_DEFINE_1(round, round)
PRISM_DEFINE_2(nextafter, nextafter)
PRISM_DEFINE_2(fdim, fdim)
PRISM_DEFINE_2(fmax, fmax)
PRISM_DEFINE_2(fmin, fmin)
PRISM_DEFINE_2(copysign, with_sign)
PRISM_DEFINE_1(fabs, absolute)

extern "C" {
float PRISM_BUILTIN(frexpf)(float x, int* e) { return prism::builtins::frexp(x, e); }
double PRISM_BUILTIN(frexp)(double x, int* e) { return prism::builtins::frexp(x, e); }
float PRISM_BUILTIN(modff)(float x, float* whole) { return prism::builtins::modf(x, whole); }
double PRISM_BUILTIN(modf)(double x, double* whole) { return prism::builtins::modf(x, whole); }
int PRISM_BUILTIN(ilogbf)(float x) { return prism::builtins::ilogb(x); }
int PRISM_BUILTIN(ilogb)(double x) { return prism::builtins::ilogb(x); }
float PRISM_BUILTIN(ldexpf)(float x, int k) { return prism::builtins::scale(x, k); }
double PRISM_BUILTIN(ldexp)(double x, int k) { return prism::builtins::scale(x, k); }
float PRISM_BUILTIN(scalbnf)(float x, int k) { return prism::builtins::scale(x, k); }
double PRISM_BUILTIN(scalbn)(double x, int k) { return prism::builtins::scale(x, k); }
float PRISM_BUILTIN(scalblnf)(float x, long k) {
  return prism::builtins::scale(x, k > 5000 ? 5000 : k < -5000 ? -5000 : int(k));
}
double PRISM_BUILTIN(scalbln)(double x, long k) {
  return prism::builtins::scale(x, k > 5000 ? 5000 : k < -5000 ? -5000 : int(k));
}
long PRISM_BUILTIN(lrintf)(float x) { return long(prism::builtins::nearest(x)); }
long PRISM_BUILTIN(lrint)(double x) { return long(prism::builtins::nearest(x)); }
long long PRISM_BUILTIN(llrintf)(float x) { return (long long)(prism::builtins::nearest(x)); }
long long PRISM_BUILTIN(llrint)(double x) { return (long long)(prism::builtins::nearest(x)); }
long PRISM_BUILTIN(lroundf)(float x) { return long(prism::builtins::round(x)); }
long PRISM_BUILTIN(lround)(double x) { return long(prism::builtins::round(x)); }
long long PRISM_BUILTIN(llroundf)(float x) { return (long long)(prism::builtins::round(x)); }
long long PRISM_BUILTIN(llround)(double x) { return (long long)(prism::builtins::round(x)); }
float PRISM_BUILTIN(nanf)(const char*) { return prism::builtins::quiet_nan<float>(); }
double PRISM_BUILTIN(nan)(const char*) { return prism::builtins::quiet_nan<double>(); }
}
