// The inverse of the distribution function of normal numbers: M. Wichura, "The percentage points of the
// normal distribution", algorithm AS 241, 1988. PPND16 in double has relative errors of about 1e-16, PPND7 in
// float of about 1e-7. PPND16 uses only operations whose results IEEE 754 defines, so it has the same bits on
// every device; contraction is off, because a device that fuses a multiplication with an addition computes
// other bits than one that does not.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdint>

namespace prism::random {

/// log(x) of a normal positive number, by the series of the inverse hyperbolic tangent.
inline double log_of(double x) {
#pragma clang fp contract(off)
  std::uint64_t bits = sycl::bit_cast<std::uint64_t>(x);
  int exponent = int(bits >> 52) - 1023;
  double m = sycl::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (m > 1.4142135623730951) {
    m = m * 0.5;
    ++exponent;
  }
  const double t = (m - 1.0) / (m + 1.0), square = t * t;
  double sum = 1.0 / 23.0;
  for (int k = 21; k >= 1; k -= 2) sum = sum * square + 1.0 / double(k);
  return 2.0 * t * sum + double(exponent) * 0.6931471805599453;
}
/// The square root of a number in [0.5, 64], by Newton's iteration.
inline double root_of(double x) {
#pragma clang fp contract(off)
  double y = x > 8.0 ? 4.0 : 1.5;
  for (int i = 0; i < 6; ++i) y = 0.5 * (y + x / y);
  return y;
}
inline double ratio(const double* top, const double* bottom, double x) {
#pragma clang fp contract(off)
  double a = top[7], b = bottom[7];
  for (int k = 6; k >= 0; --k) {
    a = a * x + top[k];
    b = b * x + bottom[k];
  }
  return a / b;
}

/// The number above which a normally distributed one lies with probability p <= 1/2: PPND16.
inline double normal_quantile(double p) {
#pragma clang fp contract(off)
  constexpr double central_top[] = {
      3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
      4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double central_bottom[] = {1.0,
                                       4.2313330701600911252e+1,
                                       6.8718700749205790830e+2,
                                       5.3941960214247511077e+3,
                                       2.1213794301586595867e+4,
                                       3.9307895800092710610e+4,
                                       2.8729085735721942674e+4,
                                       5.2264952788528545610e+3};
  constexpr double outer_top[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                  5.76949722146069140550e0,  3.64784832476320460504e0,
                                  1.27045825245236838258e0,  2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double outer_bottom[] = {1.0,
                                     2.05319162663775882187e0,
                                     1.67638483018380384940e0,
                                     6.89767334985100004550e-1,
                                     1.48103976427480074590e-1,
                                     1.51986665636164571966e-2,
                                     5.47593808499534494600e-4,
                                     1.05075007164441684324e-9};
  constexpr double tail_top[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                 1.78482653991729133580e0,  2.96560571828504891230e-1,
                                 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double tail_bottom[] = {1.0,
                                    5.99832206555887937690e-1,
                                    1.36929880922735805310e-1,
                                    1.48753612908506148525e-2,
                                    7.86869131145613259100e-4,
                                    1.84631831751005468180e-5,
                                    1.42151175831644588870e-7,
                                    2.04426310338993978564e-15};
  const double q = 0.5 - p;
  if (q <= 0.425) return q * ratio(central_top, central_bottom, 0.180625 - q * q);
  const double r = root_of(-log_of(p));
  return r <= 5.0 ? ratio(outer_top, outer_bottom, r - 1.6) : ratio(tail_top, tail_bottom, r - 5.0);
}

/// PPND7, with the device's logarithm.
inline float normal_quantile(float p) {
  const float q = 0.5f - p;
  if (q <= 0.425f) {
    const float r = 0.180625f - q * q;
    return q * (((59.109374720f * r + 159.29113202f) * r + 50.434271938f) * r + 3.3871327179f) /
           (((67.187563600f * r + 78.757757664f) * r + 17.895169469f) * r + 1.0f);
  }
  float r = sycl::sqrt(-sycl::log(p));
  if (r <= 5.0f) {
    r -= 1.6f;
    return (((0.17023821103f * r + 1.3067284816f) * r + 2.7568153900f) * r + 1.4234372777f) /
           ((0.12021132975f * r + 0.73700164250f) * r + 1.0f);
  }
  r -= 5.0f;
  return (((0.017337203997f * r + 0.42868294337f) * r + 3.0812263860f) * r + 6.6579051150f) /
         ((0.012258202635f * r + 0.24197894225f) * r + 1.0f);
}

} // namespace prism::random
