// fmod, remainder, remquo: long division of the significands in integers, one bit per step, exact for all
// arguments (the method of FDLIBM's e_fmod.c).
#include "compiler/builtins/core.hpp"

namespace prism::builtins {

/// |x| = quotient * |y| + rest, for finite x and y other than zero. `quotient` is modulo 2^31.
template <typename T>
struct division {
  T rest;
  std::uint32_t quotient;
};
template <typename T>
inline division<T> divide_magnitudes(T x, T y) {
  if (magnitude(x) < magnitude(y)) return {absolute(x), 0};
  const normalised<T> n = normalise(x), d = normalise(y);
  constexpr bits_t<T> unit = bits_t<T>(1) << format<T>::fraction;
  bits_t<T> a = (to_bits(n.m) & fraction_mask<T>) | unit;
  const bits_t<T> b = (to_bits(d.m) & fraction_mask<T>) | unit;
  std::uint32_t quotient = 0;
  for (int e = n.e - d.e; e >= 0; --e) {
    quotient <<= 1;
    if (a >= b) {
      a -= b;
      quotient |= 1u;
    }
    if (e != 0) a <<= 1;
  }
  if (a == 0) return {T(0), quotient};
  return {scale(T(a), d.e - format<T>::fraction), quotient}; // a is below 2^(fraction + 1): exact
}

template <typename T>
inline bool undefined_remainder(T x, T y) {
  return !is_finite(x) || is_nan(y) || is_zero(y);
}

template <typename T>
inline T fmod(T x, T y) {
  if (undefined_remainder(x, y)) return quiet_nan<T>();
  if (is_infinite(y) || is_zero(x)) return x;
  return with_sign(divide_magnitudes(x, y).rest, x);
}

/// x - n y with n = x / y rounded to the nearest integer, ties to even. *quotient receives the low bits of n
/// with its sign.
template <typename T>
inline T remquo(T x, T y, int* quotient) {
  *quotient = 0;
  if (undefined_remainder(x, y)) return quiet_nan<T>();
  if (is_infinite(y) || is_zero(x)) return x;
  division<T> d = divide_magnitudes(x, y);
  const T size = absolute(y), half = size * T(0.5);
  // Compares twice the rest with |y|. Doubling is exact unless it overflows; halving is exact unless |y| is
  // subnormal.
  const bool tiny_divisor = magnitude(size) < (bits_t<T>(2) << format<T>::fraction);
  const bool above = tiny_divisor ? d.rest + d.rest > size : d.rest > half;
  const bool tie = tiny_divisor ? d.rest + d.rest == size : d.rest == half;
  if (above || (tie && (d.quotient & 1u) != 0)) {
    d.rest -= size;
    d.quotient += 1;
  }
  const int low = int(d.quotient & 0x7fffffffu);
  *quotient = is_negative(x) != is_negative(y) ? -low : low;
  if (is_zero(d.rest)) return with_sign(T(0), x);
  return is_negative(x) ? -d.rest : d.rest;
}

template <typename T>
inline T remainder(T x, T y) {
  int quotient;
  return remquo(x, y, &quotient);
}

} // namespace prism::builtins

PRISM_DEFINE_2(fmod, fmod)
PRISM_DEFINE_2(remainder, remainder)
extern "C" float PRISM_BUILTIN(remquof)(float x, float y, int* q) { return prism::builtins::remquo(x, y, q); }
extern "C" double PRISM_BUILTIN(remquo)(double x, double y, int* q) {
  return prism::builtins::remquo(x, y, q);
}
