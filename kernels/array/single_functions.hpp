// Functions of float without branches, computed in double with polynomials of a low degree: each is the exact
// value, rounded to float, or a neighbour of it. `covers` is as in vector_functions.hpp, whose reductions
// these are. Fused multiply-adds may be used.
//
// Divisions and roots of doubles take the processor several times as long as those of floats: a quotient of
// floats and one step of Newton's method are exact enough here.
#pragma once

#include "kernels/array/vector_functions.hpp"

namespace prism::array_detail::vector_functions::single {

PRISM_ARRAY_INLINE float size_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= 0x7fffffff;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
PRISM_ARRAY_INLINE bool is_normal_positive(float x) { return (x >= 0x1p-126f) & (x <= 0x1.fffffep127f); }

/// 1 / x within 2^-46, for sizes between 2^-120 and 2^120.
PRISM_ARRAY_INLINE double inverse(double x) {
  const double near = 1.0f / float(x);
  return near + near * (1.0 - x * near);
}
/// The root of a number up to 2^120; of those below 2^-120 a number below 2^-60.
PRISM_ARRAY_INLINE double root(double x) {
  const float given = float(x), above = given < 0x1p-120f ? 0x1p-120f : given;
  const double near = 1.0f / std::sqrt(above);
  return x * near * (1.5 - 0.5 * x * near * near);
}

struct exp {
  PRISM_ARRAY_INLINE static bool covers(float) { return true; }
  PRISM_ARRAY_INLINE static double of(float given) {
    const float low = given < -150.0f ? -150.0f : given;
    const double x = low > 100.0f ? 100.0f : low;
    const rounded k = nearest(x * 1.44269504088896338700);
    const double r = x - k.value * 6.93147180559945309417e-01;
    const double found = (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer);
    return given != given ? double(given) : found;
  }
};
struct exp2 {
  PRISM_ARRAY_INLINE static bool covers(float) { return true; }
  PRISM_ARRAY_INLINE static double of(float given) {
    const float low = given < -160.0f ? -160.0f : given;
    const double x = low > 140.0f ? 140.0f : low;
    const rounded k = nearest(x);
    const double r = (x - k.value) * 6.93147180559945309417e-01;
    const double found = (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(k.integer);
    return given != given ? double(given) : found;
  }
};

/// log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2), by the series of the inverse hyperbolic tangent.
PRISM_ARRAY_INLINE double log_of_one_and(double f) {
  const double s = f * inverse(2.0 + f), z = s * s, w = z * z;
  return 2.0 * s *
         ((1.0 + z * (1.0 / 3)) +
          w * ((1.0 / 5 + z * (1.0 / 7)) + w * (1.0 / 9 + z * (1.0 / 11) + w * (1.0 / 13))));
}
PRISM_ARRAY_INLINE double log_of(double x) {
  const scaled_number n = scaled(x);
  return log_of_one_and(n.f) + n.k * 6.93147180559945309417e-01;
}
PRISM_ARRAY_INLINE double log1p_of(double x) {
  const double u = 1.0 + x;
  return log_of(u) + (u >= 2.0 ? 0.0 : x - (u - 1.0)); // with what the sum lost
}
/// exp(y) - 1 for sizes of at most 700.
PRISM_ARRAY_INLINE double expm1_of(double y) {
  const rounded k = nearest(y * 1.44269504088896338700);
  const double r = y - k.value * 6.93147180559945309417e-01, scale = power_of_two(k.integer);
  return scale * (r + exp_beyond_one_of_float(r)) + (scale - 1.0);
}

/// log(1 + f) as f and the rest, in float: a polynomial whose relative errors are below 2^-27.
struct float_log {
  float k, f, rest;
};
PRISM_ARRAY_INLINE float_log parts_of_log(float x) {
  constexpr std::uint32_t root = 0x3f3504f3, one = 0x3f800000; // of 1/2
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const std::uint32_t shifted = bits + (one - root), fraction = (shifted & 0x007fffff) + root;
  float m;
  std::memcpy(&m, &fraction, sizeof m);
  const float f = m - 1.0f, z = f * f;
  const float p = (0.33333331f - f * 0.25000823f) +
                  z * ((0.20001227f - f * 0.16623357f) +
                       z * ((0.14201762f - f * 0.13160194f) + z * (0.1276155f - f * 0.076344296f)));
  return {float(std::int32_t(shifted >> 23) - 127), f, f * z * p - 0.5f * z};
}

// The sums begin with the smallest terms; constants of few bits have exact products with k.
struct log {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_normal_positive(x); }
  PRISM_ARRAY_INLINE static float of(float x) {
    const float_log l = parts_of_log(x);
    return l.k * 0.693359375f + (l.f + (l.rest - l.k * 2.12194440e-4f));
  }
};
struct log2 {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_normal_positive(x); }
  PRISM_ARRAY_INLINE static float of(float x) {
    constexpr float beyond_one = 0.44269504f; // of log2(e)
    const float_log l = parts_of_log(x);
    return l.k + (l.f + (l.rest + (l.f * beyond_one + l.rest * beyond_one)));
  }
};
struct log10 {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_normal_positive(x); }
  PRISM_ARRAY_INLINE static float of(float x) {
    const float_log l = parts_of_log(x);
    return float((double(l.f) + l.rest) * 4.34294481903251816668e-01 + l.k * 3.01029995663981198017e-01);
  }
};
struct log1p {
  PRISM_ARRAY_INLINE static bool covers(float x) { return (x > -1.0f) & (x <= 0x1p100f); }
  PRISM_ARRAY_INLINE static double of(float x) { return x == 0 ? double(x) : log1p_of(x); }
};
struct expm1 {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) <= 700.0f; }
  PRISM_ARRAY_INLINE static double of(float x) { return x == 0 ? double(x) : expm1_of(x); }
};
struct sinh {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) <= 80.0f; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double t = expm1_of(size_of(x));
    return with_sign_of(0.5 * (t + t * inverse(t + 1.0)), x);
  }
};
struct cosh {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) <= 80.0f; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double w = expm1_of(size_of(x)) + 1.0;
    return 0.5 * (w + inverse(w));
  }
};
struct tanh {
  PRISM_ARRAY_INLINE static bool covers(float) { return true; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const float size = size_of(x);
    const double t = expm1_of(size > 20.0f ? 40.0f : 2.0f * size), found = t * inverse(t + 2.0);
    return x != x ? double(x) : with_sign_of(found, x);
  }
};
struct asinh {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) <= 0x1p28f; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double a = size_of(x), t = a * a;
    return with_sign_of(log1p_of(a + t * inverse(1.0 + root(1.0 + t))), x);
  }
};
struct acosh {
  PRISM_ARRAY_INLINE static bool covers(float x) { return (x >= 1.0f) & (x <= 0x1p28f); }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double t = double(x) - 1.0;
    return log1p_of(t + root(2.0 * t + t * t));
  }
};
struct atanh {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) < 1.0f; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double a = size_of(x);
    return with_sign_of(0.5 * log1p_of(2.0 * a * inverse(1.0 - a)), x);
  }
};
struct cbrt {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_normal_positive(size_of(x)); }
  PRISM_ARRAY_INLINE static double of(float x) {
    const cubic_number c = cubic(x);
    const double y = one_by_cubic_root(c.m);
    return with_sign_of(c.m * y * y * (c.root_of_n * power_of_two(c.q.integer)), x);
  }
};
/// x to the power of y, for normal positive x where the result is normal.
struct power {
  PRISM_ARRAY_INLINE static bool covers(float x, float y) {
    return is_normal_positive(x) & (size_of(y) <= 0x1p20f) & vector_functions::power::covers(x, y);
  }
  PRISM_ARRAY_INLINE static double of(float x, float y) {
    const scaled_number m = scaled(x);
    const double z = y * (log_of_one_and(m.f) * 1.44269504088896338700 + m.k);
    const rounded n = nearest(z);
    const double r = (z - n.value) * 6.93147180559945309417e-01;
    return (1.0 + (r + exp_beyond_one_of_float(r))) * power_of_two(n.integer);
  }
};

struct right_angles {
  double sine, cosine;
  std::uint64_t n;
};
/// Of an angle of at most 2^20, without its right angles.
PRISM_ARRAY_INLINE right_angles without_right_angles(double x) {
  const rounded n = nearest(x * 6.36619772367581382433e-01);
  const double r = (x - n.value * 1.57079632673412561417e+00) - n.value * 6.07710050650619224932e-11,
               z = r * r, w = z * z;
  const double sine = r + r * z * ((-1.0 / 6 + z * (1.0 / 120)) + w * (-1.0 / 5040 + z * (1.0 / 362880)));
  const double cosine =
      (1.0 - 0.5 * z) + w * ((1.0 / 24 - z * (1.0 / 720)) + w * (1.0 / 40320 - z * (1.0 / 3628800)));
  return {sine, cosine, n.integer};
}
PRISM_ARRAY_INLINE double sine_after(const right_angles& a, std::uint64_t quarters) {
  const std::uint64_t n = a.n + quarters, odd = 0 - (n & 1); // all bits or none
  return from_bits(((bits_of(a.cosine) & odd) | (bits_of(a.sine) & ~odd)) ^ (n & 2) << 62);
}
PRISM_ARRAY_INLINE bool is_at_most_2_to_20(float x) { return size_of(x) <= 0x1p20f; }
struct sin {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_at_most_2_to_20(x); }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double found = single::sine_after(without_right_angles(x), 0);
    return x == 0 ? double(x) : found;
  }
};
struct cos {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_at_most_2_to_20(x); }
  PRISM_ARRAY_INLINE static double of(float x) { return single::sine_after(without_right_angles(x), 1); }
};
struct tan {
  PRISM_ARRAY_INLINE static bool covers(float x) { return is_at_most_2_to_20(x); }
  PRISM_ARRAY_INLINE static double of(float x) {
    const right_angles a = without_right_angles(x);
    const std::uint64_t s = bits_of(a.sine), c = bits_of(a.cosine), odd = 0 - (a.n & 1);
    const double up = from_bits((s & ~odd) | ((c ^ sign_bit) & odd)),
                 down = from_bits((c & ~odd) | (s & odd));
    return x == 0 ? double(x) : up * inverse(down);
  }
};

/// The angle of the point (x, y), whose coordinates are not negative. The polynomial has the least relative
/// errors for quotients up to tan(pi / 8): 2^-35.
PRISM_ARRAY_INLINE double angle_of(double y, double x) {
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
  PRISM_ARRAY_INLINE static bool covers(float) { return true; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const float size = size_of(x);
    const double found = with_sign_of(angle_of(size > 0x1p66f ? 0x1p66f : size, 1.0), x);
    return x != x ? double(x) : found;
  }
};
/// The angle of the point (x, y), for coordinates of which neither is tiny or huge.
struct atan2 {
  PRISM_ARRAY_INLINE static bool covers(float y, float x) {
    const float a = size_of(y), b = size_of(x);
    return ((a >= 0x1p-60f) & (a <= 0x1p60f)) & ((b >= 0x1p-60f) & (b <= 0x1p60f));
  }
  PRISM_ARRAY_INLINE static double of(float y, float x) {
    const double angle = angle_of(size_of(y), size_of(x));
    return with_sign_of(x < 0 ? 3.14159265358979311600e+00 - angle : angle, y);
  }
};
/// (asin(x) - x) / x for t = x^2 up to 1/4, by a polynomial whose errors are at most 2^-36.
PRISM_ARRAY_INLINE double asin_beyond(double t) {
  const double w = t * t;
  return t * ((0.16666667189848472 + t * 0.07499948155889806) +
              w * ((0.04466016345175601 + t * 0.03011025529919728) +
                   w * ((0.024618339909651385 + t * 0.007469212319131147) + w * 0.034692850401718996)));
}
/// The angle of a sine above 1/2 short of a right angle.
PRISM_ARRAY_INLINE double angle_of_chord(double sine) {
  const double t = 0.5 * (1.0 - sine), s = root(t);
  return 2.0 * (s + s * asin_beyond(t));
}
struct asin {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) <= 1.0f; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double a = size_of(x);
    const double found = a < 0.5 ? a + a * asin_beyond(a * a) : right_high - angle_of_chord(a);
    return with_sign_of(found, x);
  }
};
struct acos {
  PRISM_ARRAY_INLINE static bool covers(float x) { return size_of(x) <= 1.0f; }
  PRISM_ARRAY_INLINE static double of(float x) {
    const double a = size_of(x), chord = angle_of_chord(a), wide = x < 0 ? 2.0 * right_high - chord : chord;
    return a < 0.5 ? right_high - (x + x * asin_beyond(a * a)) : wide;
  }
};

} // namespace prism::array_detail::vector_functions::single
