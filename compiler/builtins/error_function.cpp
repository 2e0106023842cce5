// erf and erfc. Near zero they are a polynomial in x^2. Elsewhere they are e^(-x^2) / (1 + 2 x) times a
// polynomial in (x - 4) / (x + 4), a form that stays smooth to infinity (M. M. Shepherd, J. G. Laframboise,
// "Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981). The square is computed with twice the
// precision. Errors stay below 3 units; SYCL allows 16.
#include "compiler/builtins/explog.hpp"

namespace prism::builtins {

template <typename T>
inline constexpr T erfc_zero = sizeof(T) == 4 ? T(10.1) : T(27.3); // erfc rounds to zero beyond it

/// erfc(x) for 0.5 <= x.
template <typename T>
inline T erfc_positive(T x) {
  if (x > erfc_zero<T>) return T(0);
  const T p = erfcx_scaled((x - T(4)) / (x + T(4))) / (T(1) + T(2) * x);
  const pair<T> square = two_product(x, x);
  const exponential<T> e = exp_core(-square.hi, -square.lo);
  return scale((e.hi + e.lo) * p, e.k);
}

template <typename T>
inline T erf(T x) {
  if (is_nan(x)) return x;
  const T size = absolute(x);
  constexpr T linear = sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-27); // below it the tail is its first number
  if (size < linear) return x * T(1.12837916709551257390); // the tail's product could be subnormal, then 0
  if (size < T(1)) return x + x * erf_tail(x * x);
  return with_sign(T(1) - erfc_positive(size), x);
}

template <typename T>
inline T erfc(T x) {
  if (is_nan(x)) return x;
  if (x >= T(0.5)) return erfc_positive(x);
  if (x <= T(-0.5)) return T(2) - erfc_positive(-x);
  return T(1) - (x + x * erf_tail(x * x));
}

} // namespace prism::builtins

PRISM_DEFINE_1(erf, erf)
PRISM_DEFINE_1(erfc, erfc)
