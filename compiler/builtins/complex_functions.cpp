// The functions of std::complex that C's library provides: cabs, carg, cexp, clog, cpow, csqrt, cproj, the
// trigonometric and the hyperbolic ones, and their inverses. They call the real functions, which the math
// table then chooses for each target.
//
// Special values follow C11, annex G. Each part has an error of a few units, also the logarithm's real part
// near |z| = 1. csqrt, ctanh and the inverse functions: W. Kahan, "Branch cuts for complex elementary
// functions", 1987.
#include "compiler/builtins/cartesian.hpp"
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

// Declared under other names. Otherwise the compiler would make intrinsics of the calls, too late for the
// math table.
#define PRISM_REAL(NAME)                                                                                     \
  extern "C" float called_##NAME##f(float) __asm__(#NAME "f");                                               \
  extern "C" double called_##NAME(double) __asm__(#NAME);                                                    \
  inline float r_##NAME(float x) { return called_##NAME##f(x); }                                             \
  inline double r_##NAME(double x) { return called_##NAME(x); }
#define PRISM_REAL_2(NAME)                                                                                   \
  extern "C" float called_##NAME##f(float, float) __asm__(#NAME "f");                                        \
  extern "C" double called_##NAME(double, double) __asm__(#NAME);                                            \
  inline float r_##NAME(float x, float y) { return called_##NAME##f(x, y); }                                 \
  inline double r_##NAME(double x, double y) { return called_##NAME(x, y); }
PRISM_REAL(exp)
PRISM_REAL(log)
PRISM_REAL(log1p)
PRISM_REAL(sin)
PRISM_REAL(cos)
PRISM_REAL(tan)
PRISM_REAL(sinh)
PRISM_REAL(cosh)
PRISM_REAL(tanh)
PRISM_REAL(asinh)
PRISM_REAL_2(hypot)
PRISM_REAL_2(atan2)
#undef PRISM_REAL
#undef PRISM_REAL_2
inline float r_sqrt(float x) { return __builtin_sqrtf(x); } // remains an intrinsic
inline double r_sqrt(double x) { return __builtin_sqrt(x); }

template <typename T>
inline cartesian<T> times_i(cartesian<T> z) {
  return {-z.im, z.re};
}
template <typename T>
inline cartesian<T> over_i(cartesian<T> z) {
  return {z.im, -z.re};
}
template <typename T>
inline cartesian<T> times(cartesian<T> a, cartesian<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// e^x (cos y + i sin y). The exponential is applied as two factors, so that it may overflow where the cosine
/// brings the product back into range.
template <typename T>
inline cartesian<T> cexp(cartesian<T> z) {
  if (is_zero(z.im)) return {r_exp(z.re), z.im};
  if (is_infinite(z.re) && !is_finite(z.im)) {
    return is_negative(z.re) ? cartesian<T>{T(0), with_sign(T(0), z.im)} : cartesian<T>{z.re, quiet_nan<T>()};
  }
  const T root = r_exp(z.re * T(0.5)), c = r_cos(z.im), s = r_sin(z.im);
  return {root * c * root, root * s * root};
}

template <typename T>
inline cartesian<T> clog(cartesian<T> z) {
  const T angle = r_atan2(z.im, z.re);
  const T size = r_hypot(z.re, z.im);
  if (!(size > T(0.5) && size < T(2))) return {r_log(size), angle};
  // log |z| = log1p(a^2 + b^2 - 1) / 2, a the larger part. The sum cancels near |z| = 1: exact products.
  const T x = absolute(z.re), y = absolute(z.im), a = x > y ? x : y, b = x > y ? y : x;
  const pair<T> aa = two_product(a, a), bb = two_product(b, b);
  const pair<T> less = two_sum(aa.hi, T(-1)), high = two_sum(less.hi, bb.hi), low = two_sum(aa.lo, bb.lo);
  const pair<T> sum = two_sum(high.hi, low.hi);
  return {r_log1p(sum.hi + (sum.lo + (high.lo + less.lo + low.lo))) * T(0.5), angle};
}

template <typename T>
inline cartesian<T> csqrt(cartesian<T> z) {
  if (is_infinite(z.im)) return {infinity<T>(), z.im};
  if (is_nan(z.re)) return {z.re, z.re};
  if (is_infinite(z.re)) {
    const T other = is_nan(z.im) ? z.im : T(0);
    return is_negative(z.re) ? cartesian<T>{absolute(other), with_sign(infinity<T>(), z.im)}
                             : cartesian<T>{z.re, is_nan(z.im) ? z.im : with_sign(T(0), z.im)};
  }
  if (is_zero(z.re) && is_zero(z.im)) return {T(0), z.im};
  // Scaled by an even power of two, so that the sum stays in range.
  const T largest = magnitude(z.re) > magnitude(z.im) ? absolute(z.re) : absolute(z.im);
  const int k = normalise(largest).e & ~1;
  const T x = scale(z.re, -k), y = scale(z.im, -k);
  const T t = r_sqrt((absolute(x) + r_hypot(x, y)) * T(0.5));
  const T near = scale(t, k / 2), far = scale(absolute(y) / (t + t), k / 2);
  return is_negative(z.re) ? cartesian<T>{far, with_sign(near, z.im)}
                           : cartesian<T>{near, with_sign(far, z.im)};
}

template <typename T>
inline cartesian<T> cpow(cartesian<T> z, cartesian<T> w) {
  if (is_zero(z.re) && is_zero(z.im)) {
    if (is_zero(w.re) && is_zero(w.im)) return {T(1), T(0)};
    if (w.re > T(0)) return {T(0), T(0)};
  }
  return cexp(times(w, clog(z)));
}

/// e^|x| / 2 (cos y, sin y), in which sinh x and cosh x end. Two factors, as cexp has.
template <typename T>
inline cartesian<T> half_exp(cartesian<T> z) {
  const T root = r_exp(absolute(z.re) * T(0.5)), half = root * T(0.5);
  return {half * r_cos(z.im) * root, half * r_sin(z.im) * root};
}
/// From it on, sinh x and cosh x round to e^x / 2, and tanh x rounds to 1.
template <typename T>
inline bool is_steep(T x) {
  return absolute(x) > (sizeof(T) == 4 ? T(11) : T(22));
}
/// Whether a sine of y is undetermined, and its factor does not decide the product.
template <typename T>
inline bool has_no_angle(cartesian<T> z) {
  return !is_finite(z.im) && (is_zero(z.re) || is_infinite(z.re));
}
template <typename T>
inline cartesian<T> csinh(cartesian<T> z) {
  if (is_zero(z.im)) return {r_sinh(z.re), z.im};
  if (has_no_angle(z)) return {z.re, quiet_nan<T>()};
  if (is_steep(z.re)) {
    const cartesian<T> e = half_exp(z);
    return {is_negative(z.re) ? -e.re : e.re, e.im};
  }
  return {r_sinh(z.re) * r_cos(z.im), r_cosh(z.re) * r_sin(z.im)};
}
template <typename T>
inline cartesian<T> ccosh(cartesian<T> z) {
  if (is_zero(z.im))
    return {r_cosh(z.re), with_sign(T(0), is_negative(z.re) == is_negative(z.im) ? T(1) : T(-1))};
  if (has_no_angle(z))
    return is_zero(z.re) ? cartesian<T>{quiet_nan<T>(), z.re} : cartesian<T>{infinity<T>(), quiet_nan<T>()};
  if (is_steep(z.re)) {
    const cartesian<T> e = half_exp(z);
    return {e.re, is_negative(z.re) ? -e.im : e.im};
  }
  return {r_cosh(z.re) * r_cos(z.im), r_sinh(z.re) * r_sin(z.im)};
}
/// W. Kahan's form, which neither overflows nor cancels.
template <typename T>
inline cartesian<T> ctanh(cartesian<T> z) {
  if (is_zero(z.im)) return {r_tanh(z.re), z.im};
  if (!is_finite(z.im) && !is_infinite(z.re)) return {is_zero(z.re) ? z.re : quiet_nan<T>(), quiet_nan<T>()};
  if (is_steep(z.re)) {
    if (!is_finite(z.im)) return {with_sign(T(1), z.re), with_sign(T(0), z.im)};
    const T decay = r_exp(-absolute(z.re));
    return {with_sign(T(1), z.re), T(4) * r_sin(z.im) * r_cos(z.im) * decay * decay};
  }
  const T t = r_tan(z.im), beta = T(1) + t * t, s = r_sinh(z.re), rho = r_sqrt(T(1) + s * s);
  if (is_infinite(t)) return {rho / s, T(1) / t};
  const T d = T(1) + beta * s * s;
  return {beta * rho * s / d, t / d};
}

template <typename T>
inline cartesian<T> cproj(cartesian<T> z) {
  return is_infinite(z.re) || is_infinite(z.im) ? cartesian<T>{infinity<T>(), with_sign(T(0), z.im)} : z;
}

/// Kahan's two square roots, of 1 - z and 1 + z. Products of their parts do not cancel and keep the side of a
/// branch cut.
template <typename T>
struct roots {
  cartesian<T> below, above;
  explicit roots(cartesian<T> z)
      : below(csqrt(cartesian<T>{T(1) - z.re, -z.im})), above(csqrt(cartesian<T>{T(1) + z.re, z.im})) {}
};
/// Beyond this, z^2 + 1 rounds to z^2, and products of the roots might overflow.
template <typename T>
inline bool is_large(cartesian<T> z) {
  constexpr T limit = sizeof(T) == 4 ? T(0x1p30) : T(0x1p60);
  return absolute(z.re) > limit || absolute(z.im) > limit;
}
/// 0 and a NaN: the imaginary part, which is all that is undetermined.
template <typename T>
inline bool is_half_nan(cartesian<T> z) {
  return is_zero(z.re) && is_nan(z.im);
}
/// log |2 z|
template <typename T>
inline T log_of_twice(cartesian<T> z) {
  return r_log(r_hypot(z.re * T(0.5), z.im * T(0.5))) + T(1.3862943611198906188);
}

template <typename T>
inline cartesian<T> casin(cartesian<T> z) {
  if (is_large(z)) {
    return {with_sign(r_atan2(absolute(z.re), absolute(z.im)), z.re), with_sign(log_of_twice(z), z.im)};
  }
  if (is_half_nan(z)) return z;
  const roots<T> r(z);
  return {r_atan2(z.re, r.below.re * r.above.re - r.below.im * r.above.im),
          with_sign(r_asinh(r.below.re * r.above.im - r.below.im * r.above.re), z.im)};
}
template <typename T>
inline cartesian<T> cacos(cartesian<T> z) {
  if (is_large(z))
    return {r_atan2(absolute(z.im), z.re), with_sign(log_of_twice(z), is_negative(z.im) ? T(1) : T(-1))};
  if (is_half_nan(z)) return {T(1.5707963267948966192), z.im};
  const roots<T> r(z);
  return {T(2) * r_atan2(r.below.re, r.above.re), r_asinh(r.above.re * r.below.im - r.above.im * r.below.re)};
}
/// i cacos(z) or its negative: the one whose real part is not negative.
template <typename T>
inline cartesian<T> cacosh(cartesian<T> z) {
  const cartesian<T> angle = cacos(z);
  return {absolute(angle.im), with_sign(angle.re, z.im)};
}
template <typename T>
inline cartesian<T> catanh(cartesian<T> z) {
  constexpr T limit = sizeof(T) == 4 ? T(0x1p62) : T(0x1p510), tiny = T(1) / limit,
              half_pi = T(1.5707963267948966192);
  const T x = absolute(z.re), y = absolute(z.im);
  if (x > limit || y > limit) {
    if (is_infinite(x) || is_infinite(y))
      return {with_sign(T(0), z.re), is_nan(z.im) ? z.im : with_sign(half_pi, z.im)};
    if (is_nan(z.re) || is_nan(z.im)) return {x + y, x + y};
    const T size = r_hypot(x, y); // the real part of 1 / z
    return {with_sign(x / size / size, z.re), with_sign(half_pi, z.im)};
  }
  if (is_half_nan(z)) return z;
  if (x == T(1) && is_zero(z.im)) return {with_sign(infinity<T>(), z.re), z.im};
  const T d = T(1) - x, raised = y + tiny;
  if (d == T(0)) {
    return {with_sign(r_log(r_sqrt(r_sqrt(T(4) + y * y)) / r_sqrt(raised)), z.re),
            with_sign((half_pi + r_atan2(raised, T(2))) * T(0.5), z.im)};
  }
  return {with_sign(r_log1p(T(4) * x / (d * d + raised * raised)) * T(0.25), z.re),
          with_sign(r_atan2(T(2) * y, d * (T(1) + x) - raised * raised) * T(0.5), z.im)};
}

template <typename T>
inline cartesian<T> casinh(cartesian<T> z) {
  return over_i(casin(times_i(z)));
}
template <typename T>
inline cartesian<T> catan(cartesian<T> z) {
  return over_i(catanh(times_i(z)));
}
template <typename T>
inline cartesian<T> csin(cartesian<T> z) {
  return over_i(csinh(times_i(z)));
}
template <typename T>
inline cartesian<T> ccos(cartesian<T> z) {
  return ccosh(times_i(z));
}
template <typename T>
inline cartesian<T> ctan(cartesian<T> z) {
  return over_i(ctanh(times_i(z)));
}

} // namespace prism::builtins

#define PRISM_COMPLEX_1(NAME)                                                                                \
  complexf PRISM_BUILTIN(NAME##f)(complexf z) {                                                              \
    return prism::builtins::whole<complexf>(prism::builtins::NAME(prism::builtins::parts<float>(z)));        \
  }                                                                                                          \
  complexd PRISM_BUILTIN(NAME)(complexd z) {                                                                 \
    return prism::builtins::whole<complexd>(prism::builtins::NAME(prism::builtins::parts<double>(z)));       \
  }

extern "C" {
PRISM_COMPLEX_1(cexp)
PRISM_COMPLEX_1(clog)
PRISM_COMPLEX_1(csqrt)
PRISM_COMPLEX_1(csin)
PRISM_COMPLEX_1(ccos)
PRISM_COMPLEX_1(ctan)
PRISM_COMPLEX_1(csinh)
PRISM_COMPLEX_1(ccosh)
PRISM_COMPLEX_1(ctanh)
PRISM_COMPLEX_1(cproj)
PRISM_COMPLEX_1(casin)
PRISM_COMPLEX_1(cacos)
PRISM_COMPLEX_1(catan)
PRISM_COMPLEX_1(casinh)
PRISM_COMPLEX_1(cacosh)
PRISM_COMPLEX_1(catanh)

complexf PRISM_BUILTIN(cpowf)(complexf z, complexf w) {
  using namespace prism::builtins;
  return whole<complexf>(cpow(parts<float>(z), parts<float>(w)));
}
complexd PRISM_BUILTIN(cpow)(complexd z, complexd w) {
  using namespace prism::builtins;
  return whole<complexd>(cpow(parts<double>(z), parts<double>(w)));
}
float PRISM_BUILTIN(cabsf)(complexf z) { return prism::builtins::r_hypot(__real__ z, __imag__ z); }
double PRISM_BUILTIN(cabs)(complexd z) { return prism::builtins::r_hypot(__real__ z, __imag__ z); }
float PRISM_BUILTIN(cargf)(complexf z) { return prism::builtins::r_atan2(__imag__ z, __real__ z); }
double PRISM_BUILTIN(carg)(complexd z) { return prism::builtins::r_atan2(__imag__ z, __real__ z); }
}
