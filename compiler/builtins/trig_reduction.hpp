// x = q pi/2 + hi + lo with |hi| <= pi/4, for any finite x.
//
// Small arguments use three-part constants whose products with q are exact (Cody and Waite). Large ones use
// the integer product of the significand with the bits of 2/pi that matter (M. Payne, R. Hanek, "Radian
// reduction for trigonometric functions", 1983). It is exact to 2^-137 (double) and 2^-102 (float) of a turn,
// while no argument comes closer to a multiple of pi/2 than 2^-62 and 2^-33.
#pragma once

#include "compiler/builtins/core.hpp"

namespace prism::builtins {

template <typename T>
struct reduced {
  T hi, lo;
  int quadrant; // 0 .. 3
};

inline std::uint64_t word_if(bool chosen, std::uint64_t value) {
  return value & (std::uint64_t{0} - (chosen ? 1u : 0u));
}
/// 64 bits of 2/pi: word 0 is the integer part, the following words hold the fraction. Not a switch, because
/// compilers make a table of it.
inline std::uint64_t two_over_pi(int word) {
  return word_if(word == 1, 0xa2f9836e4e441529u) | word_if(word == 2, 0xfc2757d1f534ddc0u) |
         word_if(word == 3, 0xdb6295993c439041u) | word_if(word == 4, 0xfe5163abdebbc561u) |
         word_if(word == 5, 0xb7246e3a424dd2e0u) | word_if(word == 6, 0x06492eea09d1921cu) |
         word_if(word == 7, 0xfe1deb1cb129a73eu) | word_if(word == 8, 0xe88235f52ebb4484u) |
         word_if(word == 9, 0xe99c7026b45f7e41u) | word_if(word == 10, 0x3991d639835339f4u) |
         word_if(word == 11, 0x9c845f8bbdf9283bu) | word_if(word == 12, 0x1ff897ffde05980fu) |
         word_if(word == 13, 0xef2f118b5a0a6d1fu) | word_if(word == 14, 0x6d367ecf27cb09b7u) |
         word_if(word == 15, 0x4f463f669e5fea2du) | word_if(word == 16, 0x7527bac7ebe5f17bu) |
         word_if(word == 17, 0x3d0739f78a5292eau) | word_if(word == 18, 0x6bfb5fb11f8d5d08u) |
         word_if(word == 19, 0x56033046fc7b6babu) | word_if(word == 20, 0xf0cfbc209af4361du);
}
/// 64 bits from bit `position` on, counted from the top of word 0.
inline std::uint64_t two_over_pi_bits(int position) {
  const int word = position / 64, shift = position % 64;
  const std::uint64_t first = two_over_pi(word);
  return shift == 0 ? first : first << shift | two_over_pi(word + 1) >> (64 - shift);
}

inline std::uint64_t multiply_upper(std::uint64_t x, std::uint64_t y) {
  const std::uint64_t low = 0xffffffffu, xl = x & low, xh = x >> 32, yl = y & low, yh = y >> 32;
  const std::uint64_t cross = (xl * yl >> 32) + (xh * yl & low) + xl * yh;
  return xh * yh + (xh * yl >> 32) + (cross >> 32);
}

template <typename T>
struct half_pi;
template <>
struct half_pi<float> {
  static constexpr float limit = 128.0f, inverse = 0x1.45f306p-1f;
  static constexpr float part1 = 0x1.921fp+0f, part2 = 0x1.6a88p-17f,
                         part3 = 0x1.0b4612p-34f; // 17, 17, 24 bits
  static constexpr float hi = 0x1.921fb6p+0f, lo = -0x1.777a5cp-25f;
};
template <>
struct half_pi<double> {
  static constexpr double limit = 0x1p20, inverse = 0x1.45f306dc9c883p-1;
  static constexpr double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34,
                          part3 = 0x1.3198a2e037073p-69; // 33, 33, 53
  static constexpr double hi = 0x1.921fb54442d18p+0, lo = 0x1.1a62633145c07p-54;
};

/// |x| times 2/pi modulo 4 as quadrant and signed 128-bit fraction, then times pi/2.
template <typename T>
inline reduced<T> reduce_large(T x) {
  const bits_t<T> b = magnitude(x);
  const std::uint64_t significand = (b & fraction_mask<T>) | (bits_t<T>(1) << format<T>::fraction);
  const int e = int(b >> format<T>::fraction) - format<T>::bias - format<T>::fraction;
  // Bits of 2/pi whose product with the significand has weight 4 or more are dropped.
  const int position = 64 + e - 2;
  const std::uint64_t v0 = two_over_pi_bits(position), v1 = two_over_pi_bits(position + 64),
                      v2 = two_over_pi_bits(position + 128);
  const std::uint64_t w2 = significand * v2, m1 = significand * v1, w1 = m1 + multiply_upper(significand, v2);
  const std::uint64_t w0 = significand * v0 + multiply_upper(significand, v1) + (w1 < m1 ? 1u : 0u);
  int quadrant = int(w0 >> 62);
  std::uint64_t upper = w0 << 2 | w1 >> 62, lower = w1 << 2 | w2 >> 62;
  bool negative = false;
  if (upper >> 63 != 0) { // more than half: count from the next quadrant
    quadrant += 1;
    negative = true;
    lower = ~lower + 1u;
    upper = ~upper + (lower == 0 ? 1u : 0u);
  }
  int down = 0;
  if (upper == 0) {
    upper = lower;
    lower = 0;
    down = 64;
  }
  const int shift = upper == 0 ? 0 : leading_zeros(upper);
  if (shift != 0) {
    upper = upper << shift | lower >> (64 - shift);
    lower <<= shift;
  }
  down += shift;
  constexpr int width = format<T>::fraction + 1;
  const T hi = T(upper >> (64 - width)) * power_of_two<T>(-width);
  const T lo = T((upper << width) >> (64 - width)) * power_of_two<T>(-2 * width);
  const T unit = power_of_two<T>(-down);
  const pair<T> angle = multiply(pair<T>{hi, lo}, pair<T>{half_pi<T>::hi, half_pi<T>::lo});
  const bool flip = negative != is_negative(x);
  const T signed_unit = flip ? -unit : unit;
  return {angle.hi * signed_unit, angle.lo * signed_unit, (is_negative(x) ? -quadrant : quadrant) & 3};
}

template <typename T>
inline reduced<T> reduce(T x) {
  if (absolute(x) < T(0.785)) return {x, T(0), 0};
  if (absolute(x) >= half_pi<T>::limit) return reduce_large(x);
  const T q = nearest(x * half_pi<T>::inverse);
  const T a = x - q * half_pi<T>::part1;                  // exact
  const pair<T> b = two_sum(a, -(q * half_pi<T>::part2)); // the product is exact
  const pair<T> r = two_sum(b.hi, b.lo - q * half_pi<T>::part3);
  return {r.hi, r.lo, int(q) & 3};
}

} // namespace prism::builtins
