// pow, cbrt, hypot. pow is e^(y log x) with logarithm and product of twice the precision (special cases as in
// C99, annex F). Errors stay near 1 unit; SYCL allows 16.
#include "compiler/builtins/explog.hpp"

namespace prism::builtins {

enum class parity { none, odd, even };
template <typename T>
inline parity parity_of(T y) {
  const T size = absolute(y);
  if (size >= power_of_two<T>(format<T>::fraction + 1)) return parity::even;
  if (floor_of(size) != size) return parity::none;
  const T half = size * T(0.5);
  return floor_of(half) == half ? parity::even : parity::odd;
}

template <typename T>
inline T pow(T x, T y) {
  if (is_zero(y) || x == T(1)) return T(1);
  if (is_nan(x) || is_nan(y)) return quiet_nan<T>();
  const T size = absolute(x);
  if (is_infinite(y)) {
    if (size == T(1)) return T(1);
    return (size > T(1)) == (y > T(0)) ? infinity<T>() : T(0);
  }
  const parity kind = parity_of(y);
  const T sign = is_negative(x) && kind == parity::odd ? T(-1) : T(1);
  if (is_zero(x) || is_infinite(x)) return with_sign(is_zero(x) == (y > T(0)) ? T(0) : infinity<T>(), sign);
  if (is_negative(x) && kind == parity::none) return quiet_nan<T>();
  if (size == T(1)) return sign;
  // The smallest |log x| is 2^-24 (2^-53), so such an exponent overflows or underflows.
  if (absolute(y) > (sizeof(T) == 4 ? T(0x1p33) : T(0x1p65))) {
    return with_sign((size > T(1)) == (y > T(0)) ? infinity<T>() : T(0), sign);
  }
  const pair<T> l = log_pair(size);
  const T estimate = l.hi * y;
  if (estimate > exp_limits<T>::overflow) return with_sign(infinity<T>(), sign);
  if (estimate < exp_limits<T>::underflow) return with_sign(T(0), sign);
  const pair<T> e = multiply(l, y);
  return with_sign(exp_of(e.hi, e.lo), sign);
}

/// Two steps of Halley's method from an estimate by exponent arithmetic. Then the last step of FDLIBM's
/// s_cbrt.c, whose square is exact.
template <typename T>
inline T cbrt(T x) {
  if (!is_finite(x) || is_zero(x)) return x;
  const normalised<T> n = normalise(x);
  const int shifted = n.e + 3 * 1024, third = shifted / 3 - 1024, rest = shifted % 3;
  const T a = n.m * power_of_two<T>(rest); // [1, 8)
  constexpr bits_t<T> offset = sizeof(T) == 4 ? bits_t<T>(709958130u) : bits_t<T>(0x2a9f7893782da1ceull);
  T t = from_bits<T>(to_bits(a) / 3 + offset);
  for (int i = 0; i < 2; ++i) {
    const T cube = t * t * t;
    t = t * ((cube + a + a) / (cube + cube + a));
  }
  t = upper_half(t);
  const T r = a / (t * t);
  t = t + t * ((r - t) / (t + t + r));
  return with_sign(scale(t, third), x);
}

template <typename T>
inline T hypot(T x, T y) {
  if (is_infinite(x) || is_infinite(y)) return infinity<T>();
  if (is_nan(x) || is_nan(y)) return quiet_nan<T>();
  const bool x_larger = magnitude(x) >= magnitude(y);
  const T a = absolute(x_larger ? x : y), b = absolute(x_larger ? y : x);
  if (is_zero(b)) return a;
  const normalised<T> large = normalise(a);
  if (large.e - normalise(b).e > format<T>::fraction + 2) return a;
  const T small = scale(b, -large.e);
  const pair<T> aa = two_product(large.m, large.m), bb = two_product(small, small);
  const pair<T> sum = fast_two_sum(aa.hi, bb.hi);
  return scale(square_root(sum.hi + (sum.lo + (aa.lo + bb.lo))), large.e);
}

} // namespace prism::builtins

PRISM_DEFINE_2(pow, pow)
PRISM_DEFINE_1(cbrt, cbrt)
PRISM_DEFINE_2(hypot, hypot)
