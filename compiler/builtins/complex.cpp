// __mulsc3, __muldc3, __divsc3, __divdc3: the functions that compilers call for complex products and
// quotients when a part may be infinite or NaN (C99, annex G.5.1). Division first scales the divisor by a
// power of two.
#include "compiler/builtins/cartesian.hpp"
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

/// Infinite parts become 1 and others 0, with their signs.
template <typename T>
inline T boxed(T x) {
  return with_sign(is_infinite(x) ? T(1) : T(0), x);
}
template <typename T>
inline T zero_for_nan(T x) {
  return is_nan(x) ? with_sign(T(0), x) : x;
}

template <typename T>
inline cartesian<T> product(T a, T b, T c, T d) {
  const T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  T re = ac - bd, im = ad + bc;
  if (!is_nan(re) || !is_nan(im)) return {re, im};
  bool again = false;
  if (is_infinite(a) || is_infinite(b)) {
    a = boxed(a), b = boxed(b), c = zero_for_nan(c), d = zero_for_nan(d);
    again = true;
  }
  if (is_infinite(c) || is_infinite(d)) {
    c = boxed(c), d = boxed(d), a = zero_for_nan(a), b = zero_for_nan(b);
    again = true;
  }
  if (!again && (is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc))) {
    a = zero_for_nan(a), b = zero_for_nan(b), c = zero_for_nan(c), d = zero_for_nan(d);
    again = true;
  }
  if (!again) return {re, im};
  return {infinity<T>() * (a * c - b * d), infinity<T>() * (a * d + b * c)};
}

template <typename T>
inline cartesian<T> quotient(T a, T b, T c, T d) {
  int k = 0;
  const T largest = magnitude(c) > magnitude(d) ? absolute(c) : absolute(d);
  if (is_finite(largest) && !is_zero(largest)) {
    k = normalise(largest).e;
    c = scale(c, -k);
    d = scale(d, -k);
  }
  const T norm = c * c + d * d;
  T re = scale((a * c + b * d) / norm, -k), im = scale((b * c - a * d) / norm, -k);
  if (!is_nan(re) || !is_nan(im)) return {re, im};
  if (is_zero(norm) && (!is_nan(a) || !is_nan(b))) {
    const T inf = with_sign(infinity<T>(), c);
    return {inf * a, inf * b};
  }
  if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
    a = boxed(a), b = boxed(b);
    return {infinity<T>() * (a * c + b * d), infinity<T>() * (b * c - a * d)};
  }
  if (is_infinite(largest) && is_finite(a) && is_finite(b)) {
    c = boxed(c), d = boxed(d);
    return {T(0) * (a * c + b * d), T(0) * (b * c - a * d)};
  }
  return {re, im};
}

} // namespace prism::builtins

#define PRISM_COMPLEX_2(SINGLE, DOUBLE, OPERATION)                                                           \
  complexf PRISM_BUILTIN(SINGLE)(float a, float b, float c, float d) {                                       \
    return prism::builtins::whole<complexf>(prism::builtins::OPERATION(a, b, c, d));                         \
  }                                                                                                          \
  complexd PRISM_BUILTIN(DOUBLE)(double a, double b, double c, double d) {                                   \
    return prism::builtins::whole<complexd>(prism::builtins::OPERATION(a, b, c, d));                         \
  }

extern "C" {
PRISM_COMPLEX_2(__mulsc3, __muldc3, product)
PRISM_COMPLEX_2(__divsc3, __divdc3, quotient)
}
