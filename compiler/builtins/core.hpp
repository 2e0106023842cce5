// Device math library: declarations that all its files share.
//
// The library is C++, compiled to bitcode. The compiler links it into a target's copy of the kernels where
// the target's own function is missing or too inaccurate. Rules: freestanding; only + - * / sqrt, floor-like
// intrinsics, integer operations up to 64 bits and bit casts; no tables in memory (polynomials are constants
// in code); no reliance on fused multiply-add, and contraction is off. Integer operations split and assemble
// subnormal arguments and results, so that results depend on the device's flushing of subnormals as little as
// possible. The function for the libm name f is `__prism_builtin_f`. Float functions use no double, double
// functions no wider type.
#pragma once

#include <cstdint>

#if defined(__clang__)
#pragma clang fp contract(off)
#endif // other compilers: -ffp-contract=off

#define PRISM_BUILTIN(NAME) __prism_builtin_##NAME
// Defines the extern "C" functions, for float and double, of a template in namespace prism::builtins.
#define PRISM_DEFINE_1(NAME, FUNCTION)                                                                       \
  extern "C" float PRISM_BUILTIN(NAME##f)(float x) { return prism::builtins::FUNCTION(x); }                  \
  extern "C" double PRISM_BUILTIN(NAME)(double x) { return prism::builtins::FUNCTION(x); }
#define PRISM_DEFINE_2(NAME, FUNCTION)                                                                       \
  extern "C" float PRISM_BUILTIN(NAME##f)(float x, float y) { return prism::builtins::FUNCTION(x, y); }      \
  extern "C" double PRISM_BUILTIN(NAME)(double x, double y) { return prism::builtins::FUNCTION(x, y); }

namespace prism::builtins {

template <typename T>
struct format;
template <>
struct format<float> {
  using bits = std::uint32_t;
  using integer = std::int32_t;
  static constexpr int fraction = 23, bias = 127, width = 32, max_exponent = 127, min_exponent = -126;
  static constexpr float splitter = 4097.0f; // 2^12 + 1
};
template <>
struct format<double> {
  using bits = std::uint64_t;
  using integer = std::int64_t;
  static constexpr int fraction = 52, bias = 1023, width = 64, max_exponent = 1023, min_exponent = -1022;
  static constexpr double splitter = 134217729.0; // 2^27 + 1
};
template <typename T>
using bits_t = typename format<T>::bits;

template <typename T>
inline bits_t<T> to_bits(T x) {
  return __builtin_bit_cast(bits_t<T>, x);
}
template <typename T>
inline T from_bits(bits_t<T> b) {
  return __builtin_bit_cast(T, b);
}
template <typename T>
inline constexpr bits_t<T> sign_bit = bits_t<T>(1) << (format<T>::width - 1);
template <typename T>
inline constexpr bits_t<T> fraction_mask = (bits_t<T>(1) << format<T>::fraction) - 1;
template <typename T>
inline constexpr bits_t<T> infinity_bits = sign_bit<T> - (bits_t<T>(1) << format<T>::fraction);
template <typename T>
inline T infinity() {
  return from_bits<T>(infinity_bits<T>);
}
template <typename T>
inline T quiet_nan() {
  return from_bits<T>(infinity_bits<T> | (bits_t<T>(1) << (format<T>::fraction - 1)));
}
template <typename T>
inline bits_t<T> magnitude(T x) {
  return to_bits(x) & ~sign_bit<T>;
}
template <typename T>
inline bool is_nan(T x) {
  return magnitude(x) > infinity_bits<T>;
}
template <typename T>
inline bool is_infinite(T x) {
  return magnitude(x) == infinity_bits<T>;
}
template <typename T>
inline bool is_finite(T x) {
  return magnitude(x) < infinity_bits<T>;
}
template <typename T>
inline bool is_negative(T x) {
  return (to_bits(x) & sign_bit<T>) != 0;
}
template <typename T>
inline bool is_zero(T x) {
  return magnitude(x) == 0;
}
template <typename T>
inline T absolute(T x) {
  return from_bits<T>(magnitude(x));
}
template <typename T>
inline T with_sign(T x, T sign) {
  return from_bits<T>(magnitude(x) | (to_bits(sign) & sign_bit<T>));
}
inline float square_root(float x) { return __builtin_sqrtf(x); }
inline double square_root(double x) { return __builtin_sqrt(x); }
inline float floor_of(float x) { return __builtin_floorf(x); }
inline double floor_of(double x) { return __builtin_floor(x); }
inline float nearest(float x) { return __builtin_rintf(x); }
inline double nearest(double x) { return __builtin_rint(x); }
inline float truncated(float x) { return __builtin_truncf(x); }
inline double truncated(double x) { return __builtin_trunc(x); }

/// c0 + x (c1 + x (c2 + ...)).
template <typename T>
inline T horner(T, T c) {
  return c;
}
template <typename T, typename... Rest>
inline T horner(T x, T c, Rest... rest) {
  return c + x * horner(x, rest...);
}

/// The same polynomial in powers of x^4 (G. Estrin 1960): four times as many operations can overlap.
template <typename T>
inline T by_fours(T, T, T, T c0) {
  return c0;
}
template <typename T>
inline T by_fours(T x, T, T, T c0, T c1) {
  return c0 + x * c1;
}
template <typename T>
inline T by_fours(T x, T x2, T, T c0, T c1, T c2) {
  return (c0 + x * c1) + x2 * c2;
}
template <typename T>
inline T by_fours(T x, T x2, T, T c0, T c1, T c2, T c3) {
  return (c0 + x * c1) + x2 * (c2 + x * c3);
}
template <typename T, typename... Rest>
inline T by_fours(T x, T x2, T x4, T c0, T c1, T c2, T c3, Rest... rest) {
  return ((c0 + x * c1) + x2 * (c2 + x * c3)) + x4 * by_fours(x, x2, x4, rest...);
}
template <typename T, typename... Terms>
inline T polynomial(T x, Terms... terms) {
  return by_fours(x, x * x, (x * x) * (x * x), terms...);
}

inline int leading_zeros(std::uint32_t x) { return __builtin_clz(x); }
inline int leading_zeros(std::uint64_t x) { return __builtin_clzll(x); }

/// 2^k for k in the normal range.
template <typename T>
inline T power_of_two(int k) {
  return from_bits<T>(bits_t<T>(k + format<T>::bias) << format<T>::fraction);
}

/// A finite positive number as m * 2^e with 1 <= m < 2, also for subnormals.
template <typename T>
struct normalised {
  T m;
  int e;
};
template <typename T>
inline normalised<T> normalise(T x) {
  bits_t<T> b = magnitude(x);
  int e = int(b >> format<T>::fraction);
  if (e == 0) {
    const int shift = leading_zeros(b) - (format<T>::width - 1 - format<T>::fraction);
    b <<= shift;
    e = 1 - shift;
  }
  return {from_bits<T>((b & fraction_mask<T>) | (bits_t<T>(format<T>::bias) << format<T>::fraction)),
          e - format<T>::bias};
}

/// x * 2^k rounded once, for any k. Integer arithmetic computes subnormal results.
template <typename T>
inline T scale(T x, int k) {
  bits_t<T> b = magnitude(x);
  if (b == 0 || b >= infinity_bits<T>) return x;
  int e = int(b >> format<T>::fraction);
  if (e == 0) {
    const int shift = leading_zeros(b) - (format<T>::width - 1 - format<T>::fraction);
    b <<= shift;
    e = 1 - shift;
  }
  const bits_t<T> significand = (b & fraction_mask<T>) | (bits_t<T>(1) << format<T>::fraction);
  const bits_t<T> sign = to_bits(x) & sign_bit<T>;
  constexpr int limit = 4 * format<T>::max_exponent; // beyond it the result is zero or infinite for every x
  const int by = k > limit ? limit : k < -limit ? -limit : k;
  const int to = e + by;
  if (to > 2 * format<T>::bias) return from_bits<T>(sign | infinity_bits<T>);
  if (to >= 1)
    return from_bits<T>(sign | (bits_t<T>(to) << format<T>::fraction) | (significand & fraction_mask<T>));
  const int down = 1 - to;
  if (down > format<T>::fraction + 1) return from_bits<T>(sign);
  const bits_t<T> shifted = significand >> down;
  const bits_t<T> rest = significand & ((bits_t<T>(1) << down) - 1), half = bits_t<T>(1) << (down - 1);
  return from_bits<T>(sign | (shifted + ((rest > half || (rest == half && (shifted & 1) != 0)) ? 1 : 0)));
}

// ---- sums of two numbers (T. J. Dekker, "A floating-point technique for extending the available precision",
// 1971)

template <typename T>
struct pair {
  T hi, lo;
};
/// |a| >= |b| or a == 0.
template <typename T>
inline pair<T> fast_two_sum(T a, T b) {
  const T s = a + b;
  return {s, b - (s - a)};
}
template <typename T>
inline pair<T> two_sum(T a, T b) { // Knuth
  const T s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
/// Upper half of the significand; |x| below 2^(max_exponent - fraction / 2 - 1).
template <typename T>
inline T upper_half(T x) {
  const T c = format<T>::splitter * x;
  return c - (c - x);
}
template <typename T>
inline pair<T> two_product(T a, T b) {
  const T p = a * b, ah = upper_half(a), al = a - ah, bh = upper_half(b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}
template <typename T>
inline pair<T> multiply(pair<T> a, pair<T> b) {
  const pair<T> p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
template <typename T>
inline pair<T> multiply(pair<T> a, T b) {
  const pair<T> p = two_product(a.hi, b);
  return fast_two_sum(p.hi, p.lo + a.lo * b);
}
template <typename T>
inline pair<T> add(pair<T> a, pair<T> b) {
  const pair<T> s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <typename T>
inline pair<T> add(pair<T> a, T b) {
  const pair<T> s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, s.lo + a.lo);
}
/// a / b for numbers of type T, with twice their precision.
template <typename T>
inline pair<T> divide(T a, T b) {
  const T q = a / b;
  const pair<T> back = two_product(q, b);
  return fast_two_sum(q, ((a - back.hi) - back.lo) / b);
}

} // namespace prism::builtins
