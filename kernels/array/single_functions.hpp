// Functions of float without branches, computed in double with polynomials of a low degree: each is the exact
// value, rounded to float, or a neighbour of it. `covers` is as in vector_functions.hpp, whose reductions
// these are.
#pragma once

#include "kernels/array/vector_functions.hpp"

namespace prism::array_detail::vector_functions::single {

/// log(m) for m = 1 + f between sqrt(1/2) and sqrt(2), by the series of the inverse hyperbolic tangent.
PRISM_ARRAY_INLINE double log_of_one_and(double f) {
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  return 2.0 * s *
         ((1.0 + z * (1.0 / 3)) +
          w * ((1.0 / 5 + z * (1.0 / 7)) + w * (1.0 / 9 + z * (1.0 / 11) + w * (1.0 / 13))));
}
PRISM_ARRAY_INLINE double log_of(double x) {
  const scaled_number n = scaled(x);
  return log_of_one_and(n.f) + n.k * 6.93147180559945309417e-01;
}
/// exp(y) - 1 for sizes of at most 700.
PRISM_ARRAY_INLINE double expm1_of(double y) {
  const rounded k = nearest(y * 1.44269504088896338700);
  const double r = y - k.value * 6.93147180559945309417e-01, scale = power_of_two(k.integer);
  return scale * (r + exp_beyond_one_of_float(r)) + (scale - 1.0);
}

struct log : vector_functions::log {
  PRISM_ARRAY_INLINE static double of(double x) { return log_of(x); }
};
struct log2 : vector_functions::log2 {
  PRISM_ARRAY_INLINE static double of(double x) {
    const scaled_number n = scaled(x);
    return log_of_one_and(n.f) * 1.44269504088896338700 + n.k;
  }
};
struct log10 : vector_functions::log10 {
  PRISM_ARRAY_INLINE static double of(double x) { return log_of(x) * 4.34294481903251816668e-01; }
};
struct log1p : vector_functions::log1p {
  PRISM_ARRAY_INLINE static double of(double x) {
    const double u = 1.0 + x;
    return x == 0 ? x : log_of(u) + (u >= 2.0 ? 0.0 : x - (u - 1.0));
  }
};
struct expm1 : vector_functions::expm1 {
  PRISM_ARRAY_INLINE static double of(double x) { return x == 0 ? x : single::expm1_of(x); }
};
struct sinh : vector_functions::sinh {
  PRISM_ARRAY_INLINE static double of(double x) {
    const double t = single::expm1_of(size_of_number(x));
    return with_sign_of(0.5 * (t + t / (t + 1.0)), x);
  }
};
struct cosh : vector_functions::cosh {
  PRISM_ARRAY_INLINE static double of(double x) {
    const double w = single::expm1_of(size_of_number(x)) + 1.0;
    return 0.5 * (w + 1.0 / w);
  }
};
struct tanh : vector_functions::tanh {
  PRISM_ARRAY_INLINE static double of(double x) {
    const double size = size_of_number(x), t = single::expm1_of(size > 20.0 ? 40.0 : 2.0 * size);
    return with_sign_of(t / (t + 2.0), x);
  }
};
/// x to the power of y.
struct power : vector_functions::power {
  PRISM_ARRAY_INLINE static double of(double x, double y) {
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
struct sin : vector_functions::sin {
  PRISM_ARRAY_INLINE static double of(double x) {
    const double found = single::sine_after(without_right_angles(x), 0);
    return x == 0 ? x : found;
  }
};
struct cos : vector_functions::cos {
  PRISM_ARRAY_INLINE static double of(double x) { return single::sine_after(without_right_angles(x), 1); }
};
struct tan : vector_functions::tan {
  PRISM_ARRAY_INLINE static double of(double x) {
    const right_angles a = without_right_angles(x);
    const std::uint64_t s = bits_of(a.sine), c = bits_of(a.cosine), odd = 0 - (a.n & 1);
    const double up = from_bits((s & ~odd) | ((c ^ sign_bit) & odd)),
                 down = from_bits((c & ~odd) | (s & odd));
    return x == 0 ? x : up / down;
  }
};

} // namespace prism::array_detail::vector_functions::single
