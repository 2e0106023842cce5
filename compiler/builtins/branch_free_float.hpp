// Functions of float without branches: each result is the exact value, rounded to float, or a neighbour of
// it. `covers` is as in branch_free.hpp. Fused multiply-adds may be used.
// With them the functions that are computed in float are within one unit in the last place, but atan (1.08
// for 55 sizes) and acosh (1.02 for three).
//
// Most are computed in float, of which a vector holds twice as many as of double. Two means keep the bound:
// what rounding left out of a sum, a quotient or a root is computed too (`..._left`, by Dekker 1971: A
// floating-point technique for extending the available precision), and sums begin with the smallest terms.
// The others are computed in double with polynomials of a low degree, where divisions take the processor
// several times as long as those of floats: a quotient of floats and one step of Newton's method are exact
// enough. Polynomials have the least relative errors of their degree, found by Lawson's method.
#pragma once

#include "compiler/builtins/branch_free.hpp"

namespace prism::branch_free::single {

constexpr std::uint32_t sign_of_float = 0x80000000;
PRISM_BRANCH_FREE std::uint32_t bits_of_float(float x) { return __builtin_bit_cast(std::uint32_t, x); }
PRISM_BRANCH_FREE float float_of_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
PRISM_BRANCH_FREE float size_of(float x) { return float_of_bits(bits_of_float(x) & ~sign_of_float); }
/// A number that is not negative with the sign of another.
PRISM_BRANCH_FREE float signed_as(float size, float x) {
  return float_of_bits(bits_of_float(size) | (bits_of_float(x) & sign_of_float));
}
/// 1 / x within an eighth, for a positive x: exponent and fraction of the difference are about those.
PRISM_BRANCH_FREE float near_inverse(float x) { return float_of_bits(0x7ef311c7 - bits_of_float(x)); }

/// The upper 12 bits of the significand: products of two such numbers are exact.
PRISM_BRANCH_FREE float upper_bits(float x) { return float_of_bits(bits_of_float(x) & 0xfffff000); }
/// x^2 - near, for `near` about x^2.
PRISM_BRANCH_FREE float left_of_square(float x, float near) {
  const float high = upper_bits(x);
  return (high * high - near) + (x - high) * (x + high);
}
/// sqrt(square + square_left) - root within an eighth, for `root` about that.
PRISM_BRANCH_FREE float left_of_root(float square, float square_left, float root) {
  return (square_left - left_of_square(root, square)) * (0.5f * near_inverse(root));
}
/// up - quotient * down for a quotient of few bits: small and exact.
PRISM_BRANCH_FREE float left_of_quotient(float up, float quotient, float down) {
  const float high = upper_bits(down);
  return (up - quotient * high) - quotient * (down - high);
}

struct rounded_float {
  float value;
  std::uint32_t integer; // two's complement
};
/// The nearest integer of a size below 2^22.
PRISM_BRANCH_FREE rounded_float nearest_of_float(float x) {
  const float sum = x + 0x1.8p23f;
  return {sum - 0x1.8p23f, bits_of_float(sum) - 0x4b400000};
}
PRISM_BRANCH_FREE float float_power_of_two(std::uint32_t exponent) {
  return float_of_bits((exponent + 127) << 23);
}
constexpr float right_angle = 1.57079637f, right_angle_left = -4.37113883e-8f;
constexpr float ln2_of_few_bits = 0.693359375f, ln2_beyond = -2.12194440e-4f;
PRISM_BRANCH_FREE bool is_normal_positive(float x) { return (x >= 0x1p-126f) & (x <= 0x1.fffffep127f); }

/// 1 / x within 2^-46, for sizes between 2^-120 and 2^120.
PRISM_BRANCH_FREE double inverse(double x) {
  const double near = 1.0f / float(x);
  return near + near * (1.0 - x * near);
}

struct exp {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static double of(float given) {
    const float low = given < -150.0f ? -150.0f : given;
    const double x = low > 100.0f ? 100.0f : low;
    const rounded k = nearest(x * 1.44269504088896338700);
    const double r = x - k.value * 6.93147180559945309417e-01;
    const double found = (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer);
    return given != given ? double(given) : found;
  }
};
struct exp2 {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static double of(float given) {
    const float low = given < -160.0f ? -160.0f : given;
    const double x = low > 140.0f ? 140.0f : low;
    const rounded k = nearest(x);
    const double r = (x - k.value) * 6.93147180559945309417e-01;
    const double found = (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer);
    return given != given ? double(given) : found;
  }
};

/// exp(y) - 1 for sizes of at most 700.
PRISM_BRANCH_FREE double expm1_of(double y) {
  const rounded k = nearest(y * 1.44269504088896338700);
  const double r = y - k.value * 6.93147180559945309417e-01, scale = power_of_two(k.integer);
  return scale * (r + exp_beyond_one_of_float(r)) + (scale - 1.0);
}

/// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2): a polynomial whose relative errors are below
/// 2^-27.
PRISM_BRANCH_FREE float beyond_log(float f) {
  const float z = f * f;
  const float p = (0.33333331f - f * 0.25000823f) +
                  z * ((0.20001227f - f * 0.16623357f) +
                       z * ((0.14201762f - f * 0.13160194f) + z * (0.1276155f - f * 0.076344296f)));
  return f * z * p - 0.5f * z;
}
/// A number as 2^k (1 + f) with the second factor between sqrt(1/2) and sqrt(2).
struct scaled_float {
  float k, f;
};
PRISM_BRANCH_FREE scaled_float scaled_of_float(float x) {
  constexpr std::uint32_t root = 0x3f3504f3, one = 0x3f800000; // of 1/2
  const std::uint32_t shifted = bits_of_float(x) + (one - root);
  return {float(std::int32_t(shifted >> 23) - 127), float_of_bits((shifted & 0x007fffff) + root) - 1.0f};
}
/// Of a number the same, and the logarithm of the second factor as f and the rest.
struct float_log {
  float k, f, rest;
};
PRISM_BRANCH_FREE float_log parts_of_log(float x) {
  const scaled_float m = scaled_of_float(x);
  return {m.k, m.f, beyond_log(m.f)};
}

// The sums begin with the smallest terms; constants of few bits have exact products with k.
struct log {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_normal_positive(x); }
  PRISM_BRANCH_FREE static float of(float x) {
    const float_log l = parts_of_log(x);
    return l.k * ln2_of_few_bits + (l.f + (l.rest + l.k * ln2_beyond));
  }
};
struct log2 {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_normal_positive(x); }
  PRISM_BRANCH_FREE static float of(float x) {
    constexpr float beyond_one = 0.44269504f; // of log2(e)
    const float_log l = parts_of_log(x);
    return l.k + (l.f + (l.rest + (l.f * beyond_one + l.rest * beyond_one)));
  }
};
struct log10 {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_normal_positive(x); }
  PRISM_BRANCH_FREE static float of(float x) {
    const float_log l = parts_of_log(x);
    return float((double(l.f) + l.rest) * 4.34294481903251816668e-01 + l.k * 3.01029995663981198017e-01);
  }
};
struct log1p {
  PRISM_BRANCH_FREE static bool covers(float x) { return (x > -1.0f) & (x <= 0x1p100f); }
  PRISM_BRANCH_FREE static float of(float x) {
    // 1 + x is about 2^k m, and f + left is m - 1.
    const std::uint32_t shifted = bits_of_float(1.0f + x) + (0x3f800000 - 0x3f3504f3), k = shifted >> 23;
    const float scale = float_of_bits((254 - k) << 23), less = scale - 1.0f;
    const float f = x * scale + less, left = x * scale + (less - f), count = float(std::int32_t(k) - 127);
    const float base = count * ln2_of_few_bits, high = base + f, high_left = (base - high) + f;
    const float found = high + (beyond_log(f) + (high_left + (left + count * ln2_beyond)));
    return signed_as(size_of(found), x);
  }
};
struct expm1 {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) <= 700.0f; }
  PRISM_BRANCH_FREE static double of(float x) { return x == 0 ? double(x) : expm1_of(x); }
};
/// exp(a) = 2^k exp(rest + tail), and parts of the hyperbolic functions of the rest.
struct hyperbolic_parts {
  float rest, tail;
  float sine_beyond, cosine_beyond; // sinh(r) - r and cosh(r) - 1
  float up, down;                   // 2^k / 2 and 2^-k / 2
};
PRISM_BRANCH_FREE hyperbolic_parts parts_of_exponent(float a) {
  const rounded_float k = nearest_of_float(a * 1.44269504f);
  const float rest = a - k.value * ln2_of_few_bits, tail = k.value * -ln2_beyond, r = rest + tail, z = r * r;
  return {rest,
          tail,
          r * z * (0.16666667f + z * (0.008333289f + z * 1.9904994e-4f)),
          z * (0.5f + z * (0.041666266f + z * 0.0013946260f)),
          float_power_of_two(k.integer - 1),
          float_power_of_two(0 - k.integer - 1)};
}
// sinh(a) and cosh(a) are sums of products of such functions of k ln 2, which are exact, and of the rest.
struct sinh {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) <= 80.0f; }
  PRISM_BRANCH_FREE static float of(float x) {
    const hyperbolic_parts p = parts_of_exponent(size_of(x));
    const float s = p.up - p.down, c = p.up + p.down; // of k ln 2
    const float high = c * p.rest + s, left = c * p.rest + (s - high);
    const float found = high + (left + (s * p.cosine_beyond + c * (p.sine_beyond + p.tail)));
    return signed_as(found, x);
  }
};
struct cosh {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) <= 80.0f; }
  PRISM_BRANCH_FREE static float of(float x) {
    const hyperbolic_parts p = parts_of_exponent(size_of(x));
    const float s = p.up - p.down, c = p.up + p.down, c_left = (p.up - c) + p.down;
    const float high = s * p.rest + c, left = s * p.rest + (c - high) + c_left;
    return high + (left + (c * p.cosine_beyond + s * (p.sine_beyond + p.tail)));
  }
};
struct tanh {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static float of(float x) {
    // (e^r - p) / (e^r + p) for 2 a = k ln 2 + r and p = 2^-k
    const float size = size_of(x), a = size > 10.0f ? 10.0f : size;
    const rounded_float k = nearest_of_float(a * 2.88539008f);
    const float rest = 2.0f * a - k.value * ln2_of_few_bits, tail = k.value * -ln2_beyond, r = rest + tail;
    const float z = r * r,
                odd = (0.041666489f + r * 0.0083332080f) + z * (0.0013932671f + r * 0.00019944267f);
    const float beyond = tail + z * (0.5f + r * (0.16666667f + r * odd));
    const float p = float_power_of_two(0 - k.integer), less = 1.0f - p, more = 1.0f + p;
    const float up = less + rest, up_left = (rest - (up - less)) + ((1.0f - less) - p);
    const float sum = more + rest, sum_left = (rest - (sum - more)) + (p - (more - 1.0f));
    const float down = sum + beyond, down_left = (beyond - (down - sum)) + sum_left;
    const float by = 1.0f / down, near = upper_bits((up + beyond) * by);
    const float found =
        near + (left_of_quotient(up, near, down) + ((up_left + beyond) - near * down_left)) * by;
    return x != x ? x : signed_as(size_of(found), x);
  }
};

/// (atanh(s) - s) / s for z = s^2 up to 0.04.
PRISM_BRANCH_FREE float atanh_beyond(float z) {
  return z * (0.33333480f + z * (0.19978365f + z * 0.15192005f));
}
/// The logarithm of a + b, two numbers with what rounding left out of each, where a^2 - b^2 is 1: below
/// sqrt(2) it is 2 atanh(b / (a + 1)).
PRISM_BRANCH_FREE float log_of_sum(float a, float a_left, float b, float b_left) {
  const float w = a + b, w_left = (b - (w - a)) + (a_left + b_left);
  // 2^k m = w, and log(m) = 2 atanh((m - 1) / (m + 1)).
  const std::uint32_t k = (bits_of_float(w) + (0x3f800000 - 0x3f3504f3)) >> 23;
  const float scale = float_of_bits((254 - k) << 23), count = float(std::int32_t(k) - 127);
  const bool is_small = k == 127;
  const float m = scale * w, m_left = scale * w_left;
  const float from = is_small ? a : m, from_left = is_small ? a_left : m_left;
  const float up = is_small ? b : m - 1.0f, up_left = is_small ? b_left : m_left;
  const float down = from + 1.0f, down_left = (from - (down - 1.0f)) + from_left;
  const float by = 2.0f / down, half = 0.5f * down, s = upper_bits(up * by); // twice the argument of atanh
  const float s_left = (left_of_quotient(up, s, half) + (up_left - 0.5f * s * down_left)) * by;
  const float base = count * ln2_of_few_bits, high = base + s, high_left = (base - high) + s;
  const float whole = s + s_left, beyond = whole * atanh_beyond(0.25f * whole * whole);
  return high + ((beyond + s_left) + (high_left + count * ln2_beyond));
}
struct asinh {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) <= 0x1p28f; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float a = size_of(x), t = a * a, square = 1.0f + t, root = __builtin_sqrtf(square);
    const float square_left = (a > 1.0f ? 1.0f - (square - t) : t - (square - 1.0f)) + left_of_square(a, t);
    return signed_as(log_of_sum(root, left_of_root(square, square_left, root), a, 0.0f), x);
  }
};
struct acosh {
  PRISM_BRANCH_FREE static bool covers(float x) { return (x >= 1.0f) & (x <= 0x1p28f); }
  PRISM_BRANCH_FREE static float of(float x) {
    const float t = x * x, t_left = left_of_square(x, t), less = t - 1.0f, square = less + t_left;
    const float square_left = (t_left - (square - less)) + ((t - less) - 1.0f),
                root = __builtin_sqrtf(square);
    return log_of_sum(x, 0.0f, root, left_of_root(square, square_left, root));
  }
};
struct atanh {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) < 1.0f; }
  PRISM_BRANCH_FREE static float of(float x) {
    // (1 + a) / (1 - a) = 2^k m with m about 1, and log(m) = 2 atanh((m - 1) / (m + 1)).
    const float a = size_of(x), more = 1.0f + a, more_left = a - (more - 1.0f);
    const float less = 1.0f - a, less_left = (1.0f - less) - a;
    const std::uint32_t k = (bits_of_float(more) - bits_of_float(less) + 0x00400000) >> 23;
    const float scale = float_of_bits((127 - k) << 23), count = float(std::int32_t(k));
    const float m = scale * more, m_left = scale * more_left, up = m - less, up_left = m_left - less_left;
    const float down = m + less, down_left = (less - (down - m)) + (m_left + less_left);
    const float by = 1.0f / down, quotient = up * by;
    const float left = ((up - quotient * down) + (up_left - quotient * down_left)) * by;
    const bool is_small = k == 0;
    const float s = is_small ? a : quotient, s_left = is_small ? 0.0f : left;
    const float found = count * (0.5f * ln2_of_few_bits) +
                        (s + ((s * atanh_beyond(s * s) + s_left) + count * (0.5f * ln2_beyond)));
    return signed_as(found, x);
  }
};
struct cbrt {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_normal_positive(size_of(x)); }
  PRISM_BRANCH_FREE static float of(float x) {
    // The size is 8^q m with m between 1 and 8, times a power of two, and 127 is 1 + 3 * 42.
    const std::uint32_t bits = bits_of_float(x) & ~sign_of_float;
    const float k = float(std::int32_t(bits >> 23));
    const rounded_float q = nearest_of_float(k * 0.33333333f - 0.66666667f); // rounds down
    const float n = k - (1.0f + 3.0f * q.value);
    const float factor = n > 1.5f ? 4.0f : 2.0f, by_root = n > 1.5f ? 0.62996052f : 0.79370053f;
    const float m = float_of_bits((bits & 0x007fffff) | 0x3f800000), whole = m * (n > 0.5f ? factor : 1.0f);
    const float begin = (1.5418853f - m * 0.80995649f) + m * m * (0.31775448f - m * 0.049936313f);
    const float y = begin + begin * (0.33333333f - m * 0.33333333f * (begin * begin * begin)); // 1 / cbrt(m)
    const float by = y * (n > 0.5f ? by_root : 1.0f), square = by * by, root = whole * square;
    const float r2 = root * root, r2_left = root * root - r2;
    const float error = (whole - r2 * root) - r2_left * root;
    const float found = root + error * (square * 0.33333333f);
    return signed_as(found * float_power_of_two(q.integer - 42), x);
  }
};

/// x to the power of y, for normal positive x.
struct power {
  PRISM_BRANCH_FREE static bool covers(float x, float y) {
    const float k = float(std::int32_t((bits_of_float(x) + (0x3f800000 - 0x3f3504f3)) >> 23) - 127);
    return is_normal_positive(x) & (size_of(y) * (size_of(k) + 0.5f) <= 1000.0f);
  }
  PRISM_BRANCH_FREE static float of(float x, float y) {
    // log(1 + f) = 2 atanh(s) with s = f / (2 + f): the logarithm needs more bits than float has.
    const scaled_float m = scaled_of_float(x);
    const float by = 1.0f / (2.0f + m.f), near = m.f * by, square = near * near;
    const float beyond = square * square * (0.57708021f + square * (0.41184777f + square * 0.33786648f));
    const double f = m.f, first = near, s = first + (f - first * (2.0 + f)) * double(by);
    const double z =
        y * (s * ((2.88539008177792681472 + s * s * 0.96179669392597560491) + double(beyond)) + double(m.k));
    const rounded n = nearest(z);
    const float rest = float(z - n.value), w = rest * rest;
    const float high = 1.0f + rest * 0.69314718f, left = (1.0f - high) + rest * 0.69314718f;
    const float p = left + w * (0.24022651f + rest * ((0.055503279f + rest * 0.0096180057f) +
                                                      w * (0.0013400284f + rest * 0.00015475896f)));
    // Beyond these the result is infinite or zero, which the two factors give.
    const std::int32_t given = std::int32_t(std::uint32_t(n.integer)), low = given < -160 ? -160 : given,
                       integer = low > 130 ? 130 : low, half = integer >> 1;
    return (high + p) * float_power_of_two(half) * float_power_of_two(integer - half);
  }
};

struct right_angles {
  double sine, cosine;
  std::uint64_t n;
};
/// An angle as n right angles and the rest.
struct angle_parts {
  double rest;
  std::uint64_t n;
};
PRISM_BRANCH_FREE angle_parts parts_up_to_2_to_20(double x) {
  const rounded n = nearest(x * 6.36619772367581382433e-01);
  return {(x - n.value * 1.57079632673412561417e+00) - n.value * 6.07710050650619224932e-11, n.integer};
}
PRISM_BRANCH_FREE right_angles with_functions(const angle_parts& parts) {
  const double r = parts.rest, z = r * r, w = z * z;
  const double sine = r + r * z * ((-1.0 / 6 + z * (1.0 / 120)) + w * (-1.0 / 5040 + z * (1.0 / 362880)));
  const double cosine =
      (1.0 - 0.5 * z) + w * ((1.0 / 24 - z * (1.0 / 720)) + w * (1.0 / 40320 - z * (1.0 / 3628800)));
  return {sine, cosine, parts.n};
}
/// Of an angle of at most 2^20, without its right angles.
PRISM_BRANCH_FREE right_angles without_right_angles(double x) {
  return with_functions(parts_up_to_2_to_20(x));
}
/// Of any finite angle. Beyond 2^20 it is y 2^(27 k) with an integer y of 24 bits, below 2^50, and right
/// angles are counted by the product of y with 2^(27 k) (2 / pi) modulo 4, of which four parts of 29 bits
/// suffice: their products are exact (M. Payne, R. Hanek, "Radian reduction for trigonometric functions",
/// 1983).
PRISM_BRANCH_FREE angle_parts parts_of_any(float x) {
  const float size = size_of(x);
  const bool from_50 = size >= 0x1p50f, from_77 = size >= 0x1p77f, from_104 = size >= 0x1p104f;
  const auto chosen = [&](double c0, double c1, double c2, double c3) PRISM_BRANCH_FREE_ALWAYS {
    const double low = from_50 ? c1 : c0, high = from_104 ? c3 : c2;
    return from_77 ? high : low;
  };
  const double y = double(size) * chosen(1.0, 0x1p-27, 0x1p-54, 0x1p-81);
  const double a = y * chosen(0x1.45f306cp-1, 0x1.b939105p+1, 0x1.4a7f09cp+0, 0x1.57d1f53p+1),
               b = y * chosen(0x1.c9c882ap-29, 0x1.29fc274p-29, 0x1.5f47d4dp-28, 0x1.377036cp-29),
               c = y * chosen(0x1.4fe13a8p-59, 0x1.7d1f534p-57, 0x1.bb81b6cp-59, 0x1.8a5664fp-57),
               d = y * chosen(0x1.f47d4d377036ep-86, 0x1.bb81b6c52b328p-86, 0x1.4acc9e21c8210p-89,
                              0x1.0e4107f9458ebp-89);
  const double a_left = a - 4.0 * nearest(a * 0.25).value, b_left = b - 4.0 * nearest(b * 0.25).value;
  const exact sum = exact_sum(a_left, b_left);
  const rounded n = nearest(sum.value);
  const double rest = (((sum.value - n.value) + c) + (sum.error + d)) * 1.57079632679489661923;
  const angle_parts small = parts_up_to_2_to_20(double(x));
  const bool is_small = size <= 0x1p20f, is_negative = x < 0;
  return {is_small      ? small.rest
          : is_negative ? -rest
                        : rest,
          is_small      ? small.n
          : is_negative ? 0 - n.integer
                        : n.integer};
}
PRISM_BRANCH_FREE double sine_after(const right_angles& a, std::uint64_t quarters) {
  const std::uint64_t n = a.n + quarters, odd = 0 - (n & 1); // all bits or none
  return from_bits(((bits_of(a.cosine) & odd) | (bits_of(a.sine) & ~odd)) ^ (n & 2) << 62);
}
PRISM_BRANCH_FREE bool is_at_most_2_to_20(float x) { return size_of(x) <= 0x1p20f; }
struct sin {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_at_most_2_to_20(x); }
  PRISM_BRANCH_FREE static double of(float x) {
    const double found = single::sine_after(without_right_angles(x), 0);
    return x == 0 ? double(x) : found;
  }
};
struct cos {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_at_most_2_to_20(x); }
  PRISM_BRANCH_FREE static double of(float x) { return single::sine_after(without_right_angles(x), 1); }
};
PRISM_BRANCH_FREE float tangent(float x, const angle_parts& parts) {
  const float r = float(parts.rest), tail = float(parts.rest - double(r)), z = r * r, w = z * z;
  const float beyond =
      r * z *
      (0.33333349f + z * (0.13332675f + z * ((0.054058898f + z * 0.021286372f) +
                                             w * ((0.010826805f + z * 9.9303790e-5f) + w * 0.0043720645f))));
  // tan(r) is t + t_left, and -1 / tan(r) is by + left.
  const float t = r + beyond, t_left = (beyond - (t - r)) + (tail + tail * t * t);
  const float by = -1.0f / t, left = by * ((1.0f + by * t) + by * t_left);
  const bool is_odd = (std::uint32_t(parts.n) & 1) != 0;
  const float found = (is_odd ? by : t) + (is_odd ? left : t_left);
  return x == 0 ? x : found;
}
struct tan {
  PRISM_BRANCH_FREE static bool covers(float x) { return is_at_most_2_to_20(x); }
  PRISM_BRANCH_FREE static float of(float x) { return tangent(x, parts_up_to_2_to_20(x)); }
};
// For finite angles of any size, and NaN for infinite ones.
struct any_sin {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static double of(float x) {
    const double found = single::sine_after(with_functions(parts_of_any(x)), 0);
    return x == 0 ? double(x) : x - x == 0 ? found : double(x - x);
  }
};
struct any_cos {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static double of(float x) {
    const double found = single::sine_after(with_functions(parts_of_any(x)), 1);
    return x - x == 0 ? found : double(x - x);
  }
};
struct any_tan {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float found = tangent(x, parts_of_any(x));
    return x - x == 0 ? found : x - x;
  }
};

/// The angle of the point (x, y), whose coordinates are not negative. The polynomial has the least relative
/// errors for quotients up to tan(pi / 8): 2^-35.
PRISM_BRANCH_FREE double angle_of(double y, double x) {
  const bool is_middle = y > 0.41421356237309503 * x, is_steep = y > 2.414213562373095 * x;
  const double up = is_middle ? y - x : y, down = is_middle ? y + x : x;
  const double turned = is_middle ? 7.85398163397448278999e-01 : 0.0;
  const double t = (is_steep ? -x : up) * inverse(is_steep ? y : down), z = t * t, w = z * z;
  const double beyond = (-0.33333332514390157 + z * 0.19999905166788354) +
                        w * ((-0.14282041478344842 + z * 0.11045085860783749) +
                             w * (-0.08478361600765146 + z * 0.04748179552238354));
  return (is_steep ? 1.57079632679489655800e+00 : turned) + (t + t * z * beyond);
}
struct atan {
  PRISM_BRANCH_FREE static bool covers(float) { return true; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float size = size_of(x), a = size > 0x1p66f ? 0x1p66f : size;
    const bool is_steep = a > 1.0f;
    const float up = is_steep ? -1.0f : a, down = is_steep ? a : 1.0f, t = up / down, z = t * t, w = z * z;
    const float odd =
        (-0.084015817f + z * 0.057927229f) + w * ((-0.031148937f + z * 0.010899697f) - w * 0.0017904058f);
    const float beyond =
        t * z * (-0.33333299f + z * (0.19998534f + z * (-0.14264102f + z * (0.10951506f + z * odd))));
    // What the quotient is short of, times the derivative of atan, about 1 / (1 + z).
    const float t_left = (up - t * down) * (size_of(t) * (1.0f - 0.5f * z));
    const float base = is_steep ? right_angle : 0.0f, base_left = is_steep ? right_angle_left : 0.0f;
    const float high = base + t, left = (base - high) + t;
    const float found = high + (beyond + (left + (base_left + (is_steep ? t_left : 0.0f))));
    return x != x ? x : signed_as(found, x);
  }
};
/// The angle of the point (x, y), for coordinates of which neither is tiny or huge.
struct atan2 {
  PRISM_BRANCH_FREE static bool covers(float y, float x) {
    const float a = size_of(y), b = size_of(x);
    return ((a >= 0x1p-60f) & (a <= 0x1p60f)) & ((b >= 0x1p-60f) & (b <= 0x1p60f));
  }
  PRISM_BRANCH_FREE static double of(float y, float x) {
    const double angle = angle_of(size_of(y), size_of(x));
    return with_sign_of(x < 0 ? 3.14159265358979311600e+00 - angle : angle, y);
  }
};

/// asin(a) as angle + beyond, or for sizes above 1/2 the half of acos(a), by its chord.
struct sine_angle {
  float angle, beyond;
};
PRISM_BRANCH_FREE sine_angle angle_of_sine(float a) {
  const float half = 0.5f - 0.5f * a, root = __builtin_sqrtf(half);
  const float root_left = (half - root * root) * (0.5f * near_inverse(root));
  const float z = a > 0.5f ? half : a * a, s = a > 0.5f ? root : a, left = a > 0.5f ? root_left : 0.0f;
  const float w = z * z;
  const float p =
      z * ((0.16666754f + z * 0.074952416f) + w * ((0.045477096f + z * 0.024147611f) + w * 0.042218547f));
  return {s, s * p + left};
}
struct asin {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) <= 1.0f; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float size = size_of(x);
    const sine_angle a = angle_of_sine(size);
    const float turns = size > 0.5f ? 1.0f : 0.0f, by = 1.0f - 3.0f * turns; // right angles
    const float base = turns * right_angle, high = base + by * a.angle, left = (base - high) + by * a.angle;
    return signed_as(high + (left + (turns * right_angle_left + by * a.beyond)), x);
  }
};
struct acos {
  PRISM_BRANCH_FREE static bool covers(float x) { return size_of(x) <= 1.0f; }
  PRISM_BRANCH_FREE static float of(float x) {
    const float size = size_of(x);
    const sine_angle a = angle_of_sine(size);
    const float wide = size > 0.5f ? 1.0f : 0.0f, side = x < 0 ? -1.0f : 1.0f;
    const float turns = 1.0f - wide * side, by = side * (3.0f * wide - 1.0f); // right angles
    const float base = turns * right_angle, high = base + by * a.angle, left = (base - high) + by * a.angle;
    return high + (left + (turns * right_angle_left + by * a.beyond));
  }
};

} // namespace prism::branch_free::single
