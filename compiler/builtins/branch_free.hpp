// Mathematical functions of double without branches, so that a loop over them becomes vectors. Each is within
// one unit in the last place of the exact value for the arguments that its `covers` accepts, but expm1, sinh,
// cosh, asinh and atanh within two, and tanh, tan and acosh within three. Other arguments are left to the
// mathematical library. `float` is computed in double and rounded.
//
// The polynomials and reductions are those of FreeBSD's msun (Sun Microsystems 1993: e_exp, e_log, k_sin,
// k_cos, s_expm1, s_log1p, e_log2, e_log10, e_pow, s_tanh, e_sinh, e_cosh, s_asinh, e_acosh, e_atanh, s_atan,
// e_asin, e_acos, s_cbrt), without their tables of cases. Fused multiply-adds keep the bounds: products that
// must be exact are so with or without them.
#pragma once

#include <cstdint>

#define PRISM_BRANCH_FREE_ALWAYS __attribute__((always_inline))
#define PRISM_BRANCH_FREE PRISM_BRANCH_FREE_ALWAYS inline

namespace prism::branch_free {

PRISM_BRANCH_FREE std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
PRISM_BRANCH_FREE double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
constexpr std::uint64_t sign_bit = std::uint64_t(1) << 63;
PRISM_BRANCH_FREE double size_of_number(double x) { return from_bits(bits_of(x) & ~sign_bit); }
/// A number that is not negative with the sign of another.
PRISM_BRANCH_FREE double with_sign_of(double size, double x) {
  return from_bits(bits_of(size) | (bits_of(x) & sign_bit));
}
/// The upper 21 bits of the significand: products of two such numbers are exact.
PRISM_BRANCH_FREE double upper_half(double x) { return from_bits(bits_of(x) & 0xffffffff00000000); }

/// Added to a number below 2^51, it rounds the number to an integer, which the lowest bits of the sum hold.
constexpr double rounder = 0x1.8p52;
constexpr std::uint64_t rounder_bits = 0x4338000000000000;

struct rounded {
  double value;
  std::uint64_t integer; // two's complement
};
PRISM_BRANCH_FREE rounded nearest(double x) {
  const double sum = x + rounder;
  return {sum - rounder, bits_of(sum) - rounder_bits};
}
PRISM_BRANCH_FREE double power_of_two(std::uint64_t exponent) { return from_bits((exponent + 1023) << 52); }

/// a + b or a - b, and what rounding left out (Knuth 1969).
struct exact {
  double value, error;
};
PRISM_BRANCH_FREE exact exact_sum(double a, double b) {
  const double s = a + b, back = s - a;
  return {s, (a - (s - back)) + (b - back)};
}
PRISM_BRANCH_FREE exact exact_difference(double a, double b) {
  const double d = a - b, back = d - a;
  return {d, (a - (d - back)) - (b + back)};
}

/// x as a multiple k of ln 2 and the rest, high - tail, whose size is at most ln 2 / 2.
struct exponent_parts {
  rounded k;
  double high, tail;
};
PRISM_BRANCH_FREE exponent_parts exponent_of(double x) {
  const rounded k = nearest(x * 1.44269504088896338700);
  return {k, x - k.value * 6.93147180369123816490e-01, k.value * 1.90821492927058770002e-10};
}
/// exp(r) - 1 - r for a size of at most ln 2 / 2: the Taylor series, whose rest is below 2^-59.
PRISM_BRANCH_FREE double exp_beyond_one(double r) {
  const double t = r * r, u = t * t;
  const double low = (1.0 / 2 + r * (1.0 / 6)) + t * (1.0 / 24 + r * (1.0 / 120));
  const double middle = (1.0 / 720 + r * (1.0 / 5040)) + t * (1.0 / 40320 + r * (1.0 / 362880));
  const double high = (1.0 / 3628800 + r * (1.0 / 39916800)) + t * (1.0 / 479001600 + r * (1.0 / 6227020800));
  return t * (low + u * (middle + u * high));
}
/// The same for results of float: the rest is below 2^-30.
PRISM_BRANCH_FREE double exp_beyond_one_of_float(double r) {
  const double t = r * r;
  return t * ((1.0 / 2 + r * (1.0 / 6)) +
              t * ((1.0 / 24 + r * (1.0 / 120)) + t * (1.0 / 720 + r * (1.0 / 5040))));
}

struct exp {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    // Beyond these the result is infinite or zero, which the two factors below give.
    const double low = x < -746.0 ? -746.0 : x, y = low > 710.0 ? 710.0 : low;
    const exponent_parts e = exponent_of(y);
    const double r = e.high - e.tail, found = 1.0 + (r + exp_beyond_one(r));
    const rounded half = nearest(e.k.value * 0.5);
    const double scaled = found * power_of_two(half.integer) * power_of_two(e.k.integer - half.integer);
    return x != x ? x : scaled;
  }
  PRISM_BRANCH_FREE static float of(float given) {
    const double x = given, low = x < -150.0 ? -150.0 : x, y = low > 100.0 ? 100.0 : low;
    const rounded k = nearest(y * 1.44269504088896338700);
    const double r = y - k.value * 6.93147180559945309417e-01;
    const double found = (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer);
    return given != given ? given : float(found);
  }
};

struct exp2 {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double above = x < -1080.0 ? -1080.0 : x, y = above > 1030.0 ? 1030.0 : above;
    const rounded k = nearest(y), half = nearest(k.value * 0.5);
    // The first product is exact: the part of ln 2 has 32 bits.
    const double d = y - k.value, d_high = upper_half(d), high = d_high * 6.93147180369123816490e-01,
                 low = (d - d_high) * 6.93147180369123816490e-01 + d * 1.90821492927058770002e-10;
    const double r = high + low, found = 1.0 + (r + (exp_beyond_one(r) + ((high - r) + low)));
    const double scaled = found * power_of_two(half.integer) * power_of_two(k.integer - half.integer);
    return x != x ? x : scaled;
  }
};

/// exp(x) - 1 for sizes of at most 700.
PRISM_BRANCH_FREE double expm1_of(double x) {
  const exponent_parts e = exponent_of(x);
  const double r = e.high - e.tail, low = exp_beyond_one(r) + ((e.high - r) - e.tail);
  const double scale = power_of_two(e.k.integer);
  const exact sum = exact_sum(scale * r, scale - 1.0);
  const double found = sum.value + (sum.error + scale * low);
  return x == 0 ? x : found;
}
struct expm1 {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 700.0; }
  PRISM_BRANCH_FREE static double of(double x) { return expm1_of(x); }
};
struct sinh {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 700.0; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double a = size_of_number(x), t = expm1_of(a);
    const double sum = a < 1.0 ? 2.0 * t - t * t / (t + 1.0) : t + t / (t + 1.0);
    return with_sign_of(0.5 * sum, x);
  }
};
struct cosh {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 700.0; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double a = size_of_number(x), t = expm1_of(a), w = 1.0 + t, inverse = 0.5 / w;
    return a < 0.35 ? 1.0 + t * t * inverse : 0.5 * w + inverse;
  }
};
struct tanh {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double size = size_of_number(x), a = size > 30.0 ? 30.0 : size;
    const bool small = a < 1.0;
    const double t = expm1_of(small ? -2.0 * a : 2.0 * a), q = (small ? -t : 2.0) / (t + 2.0);
    return with_sign_of(small ? q : 1.0 - q, x);
  }
};

/// A number as 2^k m with m between sqrt(1/2) and sqrt(2), and f = m - 1.
struct scaled_number {
  double k, f;
};
PRISM_BRANCH_FREE scaled_number scaled(double x) {
  constexpr std::uint64_t root = 0x3fe6a09e00000000, one = 0x3ff0000000000000;
  const std::uint64_t shifted = bits_of(x) + (one - root);
  const double m = from_bits((shifted & 0x000fffffffffffff) + root);
  return {from_bits(shifted >> 52 | 0x4330000000000000) - (0x1p52 + 1023.0), m - 1.0};
}
/// log(1 + f) - f + f^2 / 2.
PRISM_BRANCH_FREE double log_beyond_square(double f, double half) {
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double even =
      w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860510958591e-01)));
  return s * (half + (even + odd));
}
constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;

/// Normal positive numbers.
PRISM_BRANCH_FREE bool is_normal_positive(double x) {
  return (x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023);
}

struct log {
  PRISM_BRANCH_FREE static bool covers(double x) { return is_normal_positive(x); }
  PRISM_BRANCH_FREE static double of(double x) {
    const scaled_number n = scaled(x);
    const double half = 0.5 * n.f * n.f;
    return log_beyond_square(n.f, half) + n.k * ln2_low - half + n.f + n.k * ln2_high;
  }
};
PRISM_BRANCH_FREE double log1p_of(double x) {
  const double u = 1.0 + x, left = u >= 2.0 ? 1.0 - (u - x) : x - (u - 1.0); // what the sum lost
  const scaled_number n = scaled(u);
  const double half = 0.5 * n.f * n.f, c = n.k * ln2_low + left / u;
  const double found = n.k * ln2_high - ((half - (log_beyond_square(n.f, half) + c)) - n.f);
  return x == 0 ? x : found;
}
struct log1p {
  PRISM_BRANCH_FREE static bool covers(double x) { return (x > -1.0) & (x <= 0x1p1000); }
  PRISM_BRANCH_FREE static double of(double x) { return log1p_of(x); }
};
/// The logarithm of 1 + f as a number of few bits and the rest.
struct log_parts {
  double high, low;
};
PRISM_BRANCH_FREE log_parts parts_of_log(double f) {
  const double half = 0.5 * f * f, high = upper_half(f - half);
  return {high, (f - high) - half + log_beyond_square(f, half)};
}
struct log2 {
  PRISM_BRANCH_FREE static bool covers(double x) { return is_normal_positive(x); }
  PRISM_BRANCH_FREE static double of(double x) {
    constexpr double by_high = 1.44269504072144627571e+00, by_low = 1.67517131648865118353e-10;
    const scaled_number n = scaled(x);
    const log_parts p = parts_of_log(n.f);
    const double high = p.high * by_high, low = (p.low + p.high) * by_low + p.low * by_high, w = n.k + high;
    return low + ((n.k - w) + high) + w;
  }
};
struct log10 {
  PRISM_BRANCH_FREE static bool covers(double x) { return is_normal_positive(x); }
  PRISM_BRANCH_FREE static double of(double x) {
    constexpr double by_high = 4.34294481878168880939e-01, by_low = 2.50829467116452752298e-11,
                     two_high = 3.01029995663611771306e-01, two_low = 3.69423907715893078616e-13;
    const scaled_number n = scaled(x);
    const log_parts p = parts_of_log(n.f);
    const double high = p.high * by_high, y = n.k * two_high, w = y + high;
    const double low = n.k * two_low + (p.low + p.high) * by_low + p.low * by_high;
    return low + ((y - w) + high) + w;
  }
};
struct asinh {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 0x1p28; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double a = size_of_number(x), t = a * a;
    return with_sign_of(log1p_of(a + t / (1.0 + __builtin_sqrt(1.0 + t))), x);
  }
};
struct acosh {
  PRISM_BRANCH_FREE static bool covers(double x) { return (x >= 1.0) & (x <= 0x1p28); }
  PRISM_BRANCH_FREE static double of(double x) {
    const double t = x - 1.0;
    return log1p_of(t + __builtin_sqrt(2.0 * t + t * t));
  }
};
struct atanh {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) < 1.0; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double a = size_of_number(x), t = a + a;
    const double y = a < 0.5 ? t + t * a / (1.0 - a) : t / (1.0 - a);
    return with_sign_of(0.5 * log1p_of(y), x);
  }
};

/// A number as 8^q n m with m between 1 and 2 and n of 1, 2 and 4, without its sign.
struct cubic_number {
  rounded q;
  double n, root_of_n, m;
};
PRISM_BRANCH_FREE cubic_number cubic(double x) {
  const std::uint64_t bits = bits_of(x) & ~sign_bit;
  const double k = from_bits(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023.0);
  const rounded q = nearest((k - 1.0) * (1.0 / 3)); // rounds k / 3 down
  const double r = k - 3.0 * q.value, n = r > 1.5 ? 4.0 : 2.0,
               root = r > 1.5 ? 1.58740105196819947475 : 1.25992104989487316477;
  return {q, r > 0.5 ? n : 1.0, r > 0.5 ? root : 1.0,
          from_bits((bits & 0x000fffffffffffff) | 0x3ff0000000000000)};
}
/// 1 / cbrt(m) for m between 1 and 2 within 2^-33: a polynomial of least errors and a step of Newton's
/// method.
PRISM_BRANCH_FREE double one_by_cubic_root(double m) {
  const double w = m * m;
  const double y = (1.7810562405193666 - m * 1.566023547220379) +
                   w * ((1.2437782783214537 - m * 0.5978677468733142) +
                        w * (0.1560698221445997 - m * 0.017018796095927973));
  return y + y * (1.0 - m * (y * y * y)) * (1.0 / 3);
}
struct cbrt {
  PRISM_BRANCH_FREE static bool covers(double x) { return is_normal_positive(size_of_number(x)); }
  PRISM_BRANCH_FREE static double of(double x) {
    const cubic_number c = cubic(x);
    const double y = one_by_cubic_root(c.m), near = upper_half(c.m * y * y * c.root_of_n);
    // The square of this is exact: a step of Halley's method.
    const double far = c.m * c.n / (near * near);
    const double found = near + near * ((far - near) / (2.0 * near + far));
    return with_sign_of(found * power_of_two(c.q.integer), x);
  }
};

/// x to the power of y, for normal positive x where the result is normal.
struct power {
  PRISM_BRANCH_FREE static bool covers(double x, double y) {
    constexpr std::uint64_t root = 0x3fe6a09e00000000, one = 0x3ff0000000000000;
    const double k = from_bits((bits_of(x) + (one - root)) >> 52 | 0x4330000000000000) - (0x1p52 + 1023.0);
    const bool is_positive = is_normal_positive(x),
               is_normal = size_of_number(y) * (size_of_number(k) + 0.5) <= 1000.0;
    return is_positive & is_normal;
  }
  PRISM_BRANCH_FREE static double of(double x, double y) {
    // log2(x) = k + t1 + t2. Of m between sqrt(3/4) and sqrt(3) the nearer one of 1 and 1.5 is the base.
    constexpr std::uint64_t begin = 0x3febb67ae8584caa;
    const std::uint64_t shifted = bits_of(x) + (0x3ff0000000000000 - begin);
    const double k = from_bits(shifted >> 52 | 0x4330000000000000) - (0x1p52 + 1023.0);
    const double m = from_bits((shifted & 0x000fffffffffffff) + begin);
    const bool upper = m >= 1.22474487139158904910; // sqrt(3 / 2)
    const double base = upper ? 1.5 : 1.0, base_high = upper ? 5.84962487220764160156e-01 : 0.0,
                 base_low = upper ? 1.35003920212974897128e-08 : 0.0;
    const double u = m - base, v = 1.0 / (m + base), ss = u * v, s_high = upper_half(ss);
    const double sum_high = upper_half(m + base), sum_low = m - (sum_high - base);
    const double s_low = v * ((u - s_high * sum_high) - s_high * sum_low);
    const double s2 = ss * ss, s4 = s2 * s2;
    const double first = 5.99999999999994648725e-01 + s2 * 4.28571428578550184252e-01,
                 second = 3.33333329818377432918e-01 + s2 * 2.72728123808534006489e-01,
                 third = 2.30660745775561754067e-01 + s2 * 2.06975017800338417784e-01;
    const double r = s4 * (first + s4 * (second + s4 * third)) + s_low * (s_high + ss);
    const double square = s_high * s_high, t_high = upper_half(3.0 + square + r),
                 t_low = r - ((t_high - 3.0) - square);
    const double product = s_high * t_high, rest = s_low * t_high + t_low * ss,
                 p_high = upper_half(product + rest), p_low = rest - (p_high - product);
    const double z_high = 9.61796700954437255859e-01 * p_high,
                 z_low = -7.02846165095275826516e-09 * p_high + p_low * 9.61796693925975554329e-01 + base_low;
    const double t1 = upper_half(((z_high + z_low) + base_high) + k),
                 t2 = z_low - (((t1 - k) - base_high) - z_high);
    // 2^(y log2(x))
    const double y_high = upper_half(y), low = (y - y_high) * t1 + y * t2, high = y_high * t1;
    const rounded n = nearest(low + high);
    const exact part = exact_sum(high - n.value, low);
    const double d = upper_half(part.value), d_low = (part.value - d) + part.error;
    const double e_high = d * 6.93147182464599609375e-01,
                 e_low = d_low * 6.93147180559945286227e-01 + d * -1.90465429995776804525e-09;
    const double e = e_high + e_low, e_left = e_low - (e - e_high);
    return (1.0 + (e + (exp_beyond_one(e) + (e_left + e * e_left)))) * power_of_two(n.integer);
  }
};

/// An angle as n right angles and the rest, whose size is at most pi / 4, as the sum of two numbers.
struct reduced {
  double rest, tail;
  std::uint64_t n;
};
PRISM_BRANCH_FREE reduced reduce(double x) {
  const rounded n = nearest(x * 6.36619772367581382433e-01);
  // Three parts of pi / 2 have 33 bits each: products with n, which has 20, are exact.
  const double first = x - n.value * 1.57079632673412561417e+00;
  const exact second = exact_difference(first, n.value * 6.07710050630396597660e-11),
              third = exact_difference(second.value, n.value * 2.02226624871116645580e-21);
  const double left = second.error + third.error - n.value * 8.47842766036889956997e-32;
  const double rest = third.value + left;
  return {rest, (third.value - rest) + left, n.integer};
}
PRISM_BRANCH_FREE double sine_of_rest(double x, double tail) {
  const double z = x * x, v = z * x;
  const double r = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return x - ((z * (0.5 * tail - v * r) - tail) - v * -1.66666666666666324348e-01);
}
PRISM_BRANCH_FREE double cosine_of_rest(double x, double tail) {
  const double z = x * x, half = 0.5 * z, w = 1.0 - half;
  const double r = z * (4.16666666666666019037e-02 +
                        z * (-1.38888888888741095749e-03 +
                             z * (2.48015872894767294178e-05 +
                                  z * (-2.75573143513906633035e-07 +
                                       z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  return w + (((1.0 - w) - half) + (z * r - x * tail));
}
/// The sine of `quarters` right angles more than r.
PRISM_BRANCH_FREE double sine_after(const reduced& r, std::uint64_t quarters) {
  const std::uint64_t n = r.n + quarters;
  const double s = sine_of_rest(r.rest, r.tail), c = cosine_of_rest(r.rest, r.tail);
  const std::uint64_t odd = 0 - (n & 1); // all bits or none
  return from_bits(((bits_of(c) & odd) | (bits_of(s) & ~odd)) ^ (n & 2) << 62);
}

struct sin {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 0x1p20; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double found = sine_after(reduce(x), 0);
    return x == 0 ? x : found; // the sign of a zero
  }
};
struct cos {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 0x1p20; }
  PRISM_BRANCH_FREE static double of(double x) { return sine_after(reduce(x), 1); }
};
struct tan {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 0x1p20; }
  PRISM_BRANCH_FREE static double of(double x) {
    const reduced r = reduce(x);
    const std::uint64_t s = bits_of(sine_of_rest(r.rest, r.tail)),
                        c = bits_of(cosine_of_rest(r.rest, r.tail));
    const std::uint64_t odd = 0 - (r.n & 1); // all bits or none
    const double up = from_bits((s & ~odd) | ((c ^ sign_bit) & odd)),
                 down = from_bits((c & ~odd) | (s & odd));
    return x == 0 ? x : up / down;
  }
};

/// The angle of a number that is not negative.
PRISM_BRANCH_FREE double angle_of(double a) {
  double up = a, down = 1.0, high = 0.0, low = 0.0;
  const auto take = [&](bool is_nearer, double u, double d, double h, double l) PRISM_BRANCH_FREE_ALWAYS {
    up = is_nearer ? u : up, down = is_nearer ? d : down;
    high = is_nearer ? h : high, low = is_nearer ? l : low;
  };
  take(a >= 0.4375, 2.0 * a - 1.0, 2.0 + a, 4.63647609000806093515e-01, 2.26987774529616870924e-17);
  take(a >= 0.6875, a - 1.0, a + 1.0, 7.85398163397448278999e-01, 3.06161699786838301793e-17);
  take(a >= 1.1875, a - 1.5, 1.0 + 1.5 * a, 9.82793723247329054082e-01, 1.39033110312309984516e-17);
  take(a >= 2.4375, -1.0, a, 1.57079632679489655800e+00, 6.12323399573676603587e-17);
  const double t = up / down, z = t * t, w = z * z;
  const double s1 = z * (3.33333333333329318027e-01 +
                         w * (1.42857142725034663711e-01 +
                              w * (9.09088713343650656196e-02 +
                                   w * (6.66107313738753120669e-02 +
                                        w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double s2 = w * (-1.99999999998764832476e-01 +
                         w * (-1.11111104054623557880e-01 +
                              w * (-7.69187620504482999495e-02 +
                                   w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  return high - ((t * (s1 + s2) - low) - t);
}
struct atan {
  PRISM_BRANCH_FREE static bool covers(double) { return true; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double size = size_of_number(x);
    return with_sign_of(angle_of(size > 0x1p66 ? 0x1p66 : size), x);
  }
};
/// The angle of the point (x, y), for normal numbers of which neither is much smaller.
struct atan2 {
  PRISM_BRANCH_FREE static bool covers(double y, double x) {
    const double a = size_of_number(y), b = size_of_number(x);
    const bool not_small = (a >= 0x1p-500) & (b >= 0x1p-500), not_large = (a <= 0x1p500) & (b <= 0x1p500);
    return not_small & not_large;
  }
  PRISM_BRANCH_FREE static double of(double y, double x) {
    constexpr double half_turn = 3.14159265358979311600e+00, half_turn_low = 1.22464679914735317720e-16;
    const double angle = angle_of(size_of_number(y) / size_of_number(x));
    return with_sign_of(x < 0 ? half_turn - (angle - half_turn_low) : angle, y);
  }
};
/// (asin(x) - x) / x for t = x^2 up to 1/4.
PRISM_BRANCH_FREE double asin_beyond(double t) {
  const double p = t * (1.66666666666666657415e-01 +
                        t * (-3.25565818622400915405e-01 +
                             t * (2.01212532134862925881e-01 +
                                  t * (-4.00555345006794114027e-02 +
                                       t * (7.91534994289814532176e-04 + t * 3.47933107596021167570e-05)))));
  const double q = 1.0 + t * (-2.40339491173441421878e+00 +
                              t * (2.02094576023350569471e+00 +
                                   t * (-6.88283971605453293030e-01 + t * 7.70381505559019352791e-02)));
  return p / q;
}
constexpr double quarter_high = 7.85398163397448278999e-01, right_high = 1.57079632679489655800e+00,
                 right_low = 6.12323399573676603587e-17;
/// For sizes above 1/2: half the square of the chord, its root, and what the root lost.
struct chord {
  double t, root, upper, rest;
};
PRISM_BRANCH_FREE chord chord_of(double a) {
  const double t = 0.5 * (1.0 - a), root = __builtin_sqrt(t), upper = upper_half(root);
  const double sum = root + upper;
  return {t, root, upper, (t - upper * upper) / (sum > 0 ? sum : 1.0)};
}
struct asin {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 1.0; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double a = size_of_number(x);
    const bool small = a < 0.5;
    const chord c = chord_of(a);
    const double r = asin_beyond(small ? a * a : c.t);
    const double p = 2.0 * c.root * r - (right_low - 2.0 * c.rest), q = quarter_high - 2.0 * c.upper;
    return with_sign_of(small ? a + a * r : quarter_high - (p - q), x);
  }
};
struct acos {
  PRISM_BRANCH_FREE static bool covers(double x) { return size_of_number(x) <= 1.0; }
  PRISM_BRANCH_FREE static double of(double x) {
    const double a = size_of_number(x);
    const bool small = a < 0.5;
    const chord c = chord_of(a);
    const double r = asin_beyond(small ? x * x : c.t);
    const double middle = right_high - (x - (right_low - x * r));
    const double above = 2.0 * (c.upper + (r * c.root + c.rest));
    const double below = 2.0 * right_high - 2.0 * (c.root + (r * c.root - right_low));
    return small ? middle : x < 0 ? below : above;
  }
};

} // namespace prism::branch_free
