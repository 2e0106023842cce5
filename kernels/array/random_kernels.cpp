// The kernels of random arrays. Contraction is off: a device that fuses a multiplication with an addition
// would compute other bits than one that does not.
#include "kernels/array/random_kernels.hpp"

#include <prism/random/philox.hpp>

#pragma clang fp contract(off)

namespace prism::random {
namespace {

/// log(x) of a normal positive number, by the series of the inverse hyperbolic tangent.
inline double log_of(double x) {
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
  double y = x > 8.0 ? 4.0 : 1.5;
  for (int i = 0; i < 6; ++i) y = 0.5 * (y + x / y);
  return y;
}
inline double ratio(const double* top, const double* bottom, double x) {
  double a = top[7], b = bottom[7];
  for (int k = 6; k >= 0; --k) {
    a = a * x + top[k];
    b = b * x + bottom[k];
  }
  return a / b;
}

/// The number below which a normally distributed one lies with probability (k + 1/2) / 2^53: the word's upper
/// bits are k. Of the probability's two sides the smaller one is used, so that both tails are as exact.
inline double normal_of(std::uint64_t word) {
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
  const std::uint64_t k = word >> 11, half = std::uint64_t(1) << 52;
  const bool is_upper = k >= half;
  const std::uint64_t rest = is_upper ? (std::uint64_t(1) << 53) - 1 - k : k;
  const double p = (double(rest) + 0.5) * (1.0 / 9007199254740992.0);
  const double q = 0.5 - p;
  double v;
  if (q <= 0.425) {
    v = q * ratio(central_top, central_bottom, 0.180625 - q * q);
  } else {
    const double r = root_of(-log_of(p));
    v = r <= 5.0 ? ratio(outer_top, outer_bottom, r - 1.6) : ratio(tail_top, tail_bottom, r - 5.0);
  }
  return is_upper ? v : -v;
}

template <typename T, int Case>
class fill_random;
template <int Case, typename T, typename Make>
void fill(sycl::queue& queue, T* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
          const Make& make) {
  if (n == 0) return;
  queue.parallel_for<fill_random<T, Case>>(
      sycl::range<1>(n), [=](sycl::id<1> i) { out[i[0]] = make(word_of(seed, first + i[0])); });
}

} // namespace

void words(sycl::queue& queue, std::uint64_t* out, std::size_t n, std::uint64_t seed, std::uint64_t first) {
  fill<0>(queue, out, n, seed, first, [](std::uint64_t w) { return w; });
}
void integers(sycl::queue& queue, std::int64_t* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
              std::int64_t low, std::uint64_t count) {
  fill<1>(queue, out, n, seed, first,
          [=](std::uint64_t w) { return std::int64_t(std::uint64_t(low) + upper_half(w, count)); });
}
void uniform(sycl::queue& queue, float* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
             float low, float width) {
  fill<2>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const float part = float(std::uint32_t(w >> 40)) * (1.0f / 16777216.0f), product = width * part;
    return low + product;
  });
}
void uniform(sycl::queue& queue, double* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
             double low, double width) {
  fill<2>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const double part = double(w >> 11) * (1.0 / 9007199254740992.0), product = width * part;
    return low + product;
  });
}
void normal(sycl::queue& queue, float* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
            double mean, double deviation) {
  fill<3>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const double product = deviation * normal_of(w);
    return float(mean + product);
  });
}
void normal(sycl::queue& queue, double* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
            double mean, double deviation) {
  fill<3>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const double product = deviation * normal_of(w);
    return mean + product;
  });
}

} // namespace prism::random
