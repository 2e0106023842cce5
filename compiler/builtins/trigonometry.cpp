// sin, cos, tan, sincos. The polynomials for |x| <= pi/4 take the argument as hi + lo, in the manner of
// FDLIBM's k_sin.c and k_cos.c. tan is the quotient of sine and cosine. Errors stay below 1 unit (tan: 2.5);
// SYCL allows 4 and 5.
#include "compiler/builtins/polynomials.hpp"
#include "compiler/builtins/trig_reduction.hpp"

namespace prism::builtins {

template <typename T>
inline T sin_kernel(T x, T rest) {
  const T z = x * x;
  return x + (x * z * sin_tail(z) + rest * (T(1) - T(0.5) * z));
}
template <typename T>
inline T cos_kernel(T x, T rest) {
  const T z = x * x, half = T(0.5) * z, w = T(1) - half;
  return w + (((T(1) - w) - half) + (z * z * cos_tail(z) - x * rest));
}

template <typename T>
inline bool needs_no_reduction(T x) {
  return absolute(x) < (sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-27));
}

template <typename T>
inline T sin_in(const reduced<T>& r) {
  const T value = (r.quadrant & 1) ? cos_kernel(r.hi, r.lo) : sin_kernel(r.hi, r.lo);
  return (r.quadrant & 2) ? -value : value;
}
template <typename T>
inline T cos_in(const reduced<T>& r) {
  const T value = (r.quadrant & 1) ? -sin_kernel(r.hi, r.lo) : cos_kernel(r.hi, r.lo);
  return (r.quadrant & 2) ? -value : value;
}

template <typename T>
inline T sin(T x) {
  if (!is_finite(x)) return quiet_nan<T>();
  if (needs_no_reduction(x)) return x;
  return sin_in(reduce(x));
}
template <typename T>
inline T cos(T x) {
  if (!is_finite(x)) return quiet_nan<T>();
  return cos_in(reduce(x));
}
template <typename T>
inline T tan(T x) {
  if (!is_finite(x)) return quiet_nan<T>();
  if (needs_no_reduction(x)) return x;
  const reduced<T> r = reduce(x);
  const T s = sin_kernel(r.hi, r.lo), c = cos_kernel(r.hi, r.lo);
  return (r.quadrant & 1) ? -c / s : s / c;
}
template <typename T>
inline void sincos(T x, T* s, T* c) {
  if (!is_finite(x)) {
    *s = *c = quiet_nan<T>();
  } else if (needs_no_reduction(x)) {
    *s = x;
    *c = T(1);
  } else {
    const reduced<T> r = reduce(x);
    *s = sin_in(r);
    *c = cos_in(r);
  }
}

} // namespace prism::builtins

PRISM_DEFINE_1(sin, sin)
PRISM_DEFINE_1(cos, cos)
PRISM_DEFINE_1(tan, tan)
PRISM_DEFINE_1(exact_sin, sin)
PRISM_DEFINE_1(exact_cos, cos)
PRISM_DEFINE_1(exact_tan, tan)
extern "C" void PRISM_BUILTIN(sincosf)(float x, float* s, float* c) { prism::builtins::sincos(x, s, c); }
extern "C" void PRISM_BUILTIN(sincos)(double x, double* s, double* c) { prism::builtins::sincos(x, s, c); }
