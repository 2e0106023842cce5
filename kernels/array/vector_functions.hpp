// exp, log, sin and cos of double without branches, so that a loop over them becomes vectors. Each is within
// one unit in the last place of the exact value for the arguments that its `covers` accepts; the others are
// left to the mathematical library. `float` is computed in double and rounded.
//
// The polynomials and reductions are those of FreeBSD's msun (Sun Microsystems 1993: e_exp, e_log, k_sin,
// k_cos), without its tables of cases. The results do not depend on fused multiply-adds: the files that
// include this header switch contraction off.
#pragma once

#include "kernels/array/program.hpp"

#include <cstring>

namespace prism::array_detail::vector_functions {

PRISM_ARRAY_INLINE std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
PRISM_ARRAY_INLINE double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
PRISM_ARRAY_INLINE double size_of_number(double x) {
  return from_bits(bits_of(x) & ~(std::uint64_t(1) << 63));
}

/// Added to a number below 2^51, it rounds the number to an integer, which the lowest bits of the sum hold.
constexpr double rounder = 0x1.8p52;
constexpr std::uint64_t rounder_bits = 0x4338000000000000;

struct rounded {
  double value;
  std::uint64_t integer; // two's complement
};
PRISM_ARRAY_INLINE rounded nearest(double x) {
  const double sum = x + rounder;
  return {sum - rounder, bits_of(sum) - rounder_bits};
}
PRISM_ARRAY_INLINE double power_of_two(std::uint64_t exponent) { return from_bits((exponent + 1023) << 52); }

struct exp {
  PRISM_ARRAY_INLINE static bool covers(double) { return true; }
  PRISM_ARRAY_INLINE static double of(double x) {
    // Beyond these the result is infinite or zero, which the two factors below give.
    const double low = x < -746.0 ? -746.0 : x, y = low > 710.0 ? 710.0 : low;
    const rounded k = nearest(y * 1.44269504088896338700);
    const double high = y - k.value * 6.93147180369123816490e-01, tail = k.value * 1.90821492927058770002e-10,
                 r = high - tail, t = r * r;
    const double c = r - t * (1.66666666666666019037e-01 +
                              t * (-2.77777777770155933842e-03 +
                                   t * (6.61375632143793436117e-05 +
                                        t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
    const double e = 1.0 - ((tail - (r * c) / (2.0 - c)) - high);
    const rounded half = nearest(k.value * 0.5);
    const double scaled = e * power_of_two(half.integer) * power_of_two(k.integer - half.integer);
    return x != x ? x : scaled;
  }
};

struct log {
  /// Normal positive numbers.
  PRISM_ARRAY_INLINE static bool covers(double x) { return (x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023); }
  PRISM_ARRAY_INLINE static double of(double x) {
    // x = 2^k m with m between sqrt(1/2) and sqrt(2)
    constexpr std::uint64_t root = 0x3fe6a09e00000000, one = 0x3ff0000000000000;
    const std::uint64_t shifted = bits_of(x) + (one - root);
    const double m = from_bits((shifted & 0x000fffffffffffff) + root);
    const double k = from_bits(shifted >> 52 | 0x4330000000000000) - (0x1p52 + 1023.0);
    const double f = m - 1.0, half = 0.5 * f * f, s = f / (2.0 + f), z = s * s, w = z * z;
    const double even =
        w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860510958591e-01)));
    return s * (half + (even + odd)) + k * 1.90821492927058770002e-10 - half + f +
           k * 6.93147180369123816490e-01;
  }
};

/// An angle as n right angles and the rest, whose size is at most pi / 4, as the sum of two numbers.
struct reduced {
  double rest, tail;
  std::uint64_t n;
};
struct difference {
  double value, error;
};
PRISM_ARRAY_INLINE difference exact_difference(double a, double b) { // Knuth 1969
  const double d = a - b, back = d - a;
  return {d, (a - (d - back)) - (b + back)};
}
PRISM_ARRAY_INLINE reduced reduce(double x) {
  const rounded n = nearest(x * 6.36619772367581382433e-01);
  // Three parts of pi / 2 have 33 bits each: products with n, which has 20, are exact.
  const double first = x - n.value * 1.57079632673412561417e+00;
  const difference second = exact_difference(first, n.value * 6.07710050630396597660e-11),
                   third = exact_difference(second.value, n.value * 2.02226624871116645580e-21);
  const double left = second.error + third.error - n.value * 8.47842766036889956997e-32;
  const double rest = third.value + left;
  return {rest, (third.value - rest) + left, n.integer};
}
PRISM_ARRAY_INLINE double sine_of_rest(double x, double tail) {
  const double z = x * x, v = z * x;
  const double r = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return x - ((z * (0.5 * tail - v * r) - tail) - v * -1.66666666666666324348e-01);
}
PRISM_ARRAY_INLINE double cosine_of_rest(double x, double tail) {
  const double z = x * x, half = 0.5 * z, w = 1.0 - half;
  const double r = z * (4.16666666666666019037e-02 +
                        z * (-1.38888888888741095749e-03 +
                             z * (2.48015872894767294178e-05 +
                                  z * (-2.75573143513906633035e-07 +
                                       z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  return w + (((1.0 - w) - half) + (z * r - x * tail));
}
/// The sine of `quarters` right angles more than r.
PRISM_ARRAY_INLINE double sine_after(const reduced& r, std::uint64_t quarters) {
  const std::uint64_t n = r.n + quarters;
  const double s = sine_of_rest(r.rest, r.tail), c = cosine_of_rest(r.rest, r.tail);
  const std::uint64_t odd = 0 - (n & 1); // all bits or none
  return from_bits(((bits_of(c) & odd) | (bits_of(s) & ~odd)) ^ (n & 2) << 62);
}

struct sin {
  PRISM_ARRAY_INLINE static bool covers(double x) { return size_of_number(x) <= 0x1p20; }
  PRISM_ARRAY_INLINE static double of(double x) {
    const double found = sine_after(reduce(x), 0);
    return x == 0 ? x : found; // the sign of a zero
  }
};
struct cos {
  PRISM_ARRAY_INLINE static bool covers(double x) { return size_of_number(x) <= 0x1p20; }
  PRISM_ARRAY_INLINE static double of(double x) { return sine_after(reduce(x), 1); }
};

} // namespace prism::array_detail::vector_functions
