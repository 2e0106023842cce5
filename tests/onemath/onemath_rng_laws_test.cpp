// Distributions of oneMath's random numbers, of 20,000 numbers of a fixed seed: the largest difference
// between their distribution function and the exact one (A. Kolmogorov, N. Smirnov), mean and variance within
// five standard deviations; of integers Pearson's chi-square. Some numbers are compared with the exact
// inverse.
#include "tests/onemath/shared_memory.hpp"

#include <oneapi/math.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace {

namespace rng = oneapi::math::rng;
constexpr std::size_t count = 20000;

template <typename Distr, typename Engine>
std::vector<typename Distr::result_type> some(const Distr& distr, Engine& engine, std::size_t n = count) {
  using T = typename Distr::result_type;
  std::vector<T> out(n);
  {
    sycl::buffer<T, 1> r(out.data(), n);
    rng::generate(distr, engine, std::int64_t(n), r);
  }
  return out;
}

// ---- distribution functions

double normal(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
/// The regularised incomplete gamma function: the series, or one minus the continued fraction (by Lentz).
double gamma_below(double shape, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(shape * std::log(x) - x - std::lgamma(shape));
  if (x < shape + 1) {
    double term = 1 / shape, sum = term;
    for (double k = shape + 1; term > sum * 1e-16; ++k) sum += term *= x / k;
    return front * sum;
  }
  double b = x + 1 - shape, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 500; ++i) {
    const double a = -i * (i - shape);
    b += 2, d = 1 / (a * d + b), c = b + a / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return 1 - front * h;
}
/// The regularised incomplete beta function by its continued fraction.
double beta_below(double p, double q, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (p + 1) / (p + q + 2)) return 1 - beta_below(q, p, 1 - x);
  double c = 1, d = 1 / (1 - (p + q) * x / (p + 1)), h = d;
  for (int m = 1; m < 500; ++m) {
    double a = m * (q - m) * x / ((p + 2 * m - 1) * (p + 2 * m));
    d = 1 / (1 + a * d), c = 1 + a / c, h *= d * c;
    a = -(p + m) * (p + q + m) * x / ((p + 2 * m) * (p + 2 * m + 1));
    d = 1 / (1 + a * d), c = 1 + a / c, h *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return std::exp(p * std::log(x) + q * std::log1p(-x) + std::lgamma(p + q) - std::lgamma(p) -
                  std::lgamma(q)) /
         p * h;
}

// ---- measures

/// Mean 0 and variance 0: the distribution has none.
struct moments {
  double mean, variance;
};
template <typename T>
void expect_moments(const std::vector<T>& x, const moments& of, const std::string& name) {
  if (of.variance == 0) return;
  double mean = 0, second = 0, fourth = 0;
  const double n = double(x.size());
  for (const T each : x) mean += double(each) / n;
  for (const T each : x) {
    const double d = double(each) - mean;
    second += d * d / n, fourth += d * d * d * d / n;
  }
  EXPECT_NEAR(mean, of.mean, 5 * std::sqrt(of.variance / n)) << name;
  EXPECT_NEAR(second, of.variance, 5 * std::sqrt((fourth - second * second) / n)) << name;
}
template <typename T>
void expect_law(std::vector<T> x, const std::function<double(double)>& below, const moments& of,
                const std::string& name) {
  expect_moments(x, of, name);
  std::sort(x.begin(), x.end());
  const double n = double(x.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = below(double(x[i]));
    largest = std::max({largest, std::fabs(p - double(i) / n), std::fabs(p - double(i + 1) / n)});
  }
  EXPECT_LT(largest * std::sqrt(n), 2.1) << name; // of correct generators 3 in 10,000 are above
}

/// Pearson's statistic of classes with at least 10 expected numbers, against its mean and deviation.
template <typename T>
void expect_counts(const std::vector<T>& x, const std::function<double(double)>& probability, double first,
                   double last, const moments& of, const std::string& name) {
  expect_moments(x, of, name);
  const double n = double(x.size());
  std::vector<double> found(std::size_t(last - first) + 1);
  for (const T each : x) {
    if (double(each) < first || double(each) > last) continue; // improbable; the sum below has them
    ++found[std::size_t(double(each) - first)];
  }
  double statistic = 0, expected = 0, counted = 0, all_expected = 0, all_counted = 0;
  int classes = 0;
  const auto close = [&] {
    statistic += (counted - expected) * (counted - expected) / expected;
    ++classes, expected = counted = 0;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double more = n * probability(first + double(i));
    expected += more, counted += found[i], all_expected += more, all_counted += found[i];
    if (expected >= 10) close();
  }
  expected += n - all_expected, counted += n - all_counted;
  if (expected > 1e-9 || counted > 0) close();
  const double freedom = classes - 1;
  EXPECT_LT(statistic, freedom + 5 * std::sqrt(2 * freedom) + 10) << name;
}
double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// ---- distributions of reals

template <typename T, typename Engine>
void expect_reals(Engine engine, const std::string& name) {
  const auto check = [&](const auto& distr, const char* what, const std::function<double(double)>& below,
                         const moments& of) {
    expect_law(some(distr, engine), below, of, name + " " + what);
  };
  constexpr double pi = 3.14159265358979323846, euler = 0.57721566490153286;
  check(rng::uniform<T>(-1, 5), "uniform", [](double x) { return (x + 1) / 6; }, {2, 3});
  check(rng::uniform<T, rng::uniform_method::accurate>(-1, 5), "accurate uniform",
        [](double x) { return (x + 1) / 6; }, {2, 3});
  const auto gaussian = [](double x) { return normal((x + 1) / 5); };
  check(rng::gaussian<T>(-1, 5), "gaussian by pairs", gaussian, {-1, 25});
  check(rng::gaussian<T, rng::gaussian_method::icdf>(-1, 5), "gaussian by the inverse", gaussian, {-1, 25});
  const auto lognormal = [](double x) { return x <= 1 ? 0 : normal((std::log((x - 1) / 2) + 1) / 0.5); };
  const moments logarithmic{1 + 2 * std::exp(-1 + 0.125), 4 * std::exp(-2 + 0.25) * std::expm1(0.25)};
  check(rng::lognormal<T>(-1, T(0.5), 1, 2), "lognormal by pairs", lognormal, logarithmic);
  check(rng::lognormal<T, rng::lognormal_method::icdf_accurate>(-1, T(0.5), 1, 2), "lognormal by the inverse",
        lognormal, logarithmic);
  check(rng::exponential<T>(2, 3), "exponential", [](double x) { return -std::expm1(-(x - 2) / 3); }, {5, 9});
  const double g1 = std::tgamma(1 + 1 / 1.5), g2 = std::tgamma(1 + 2 / 1.5);
  check(rng::weibull<T>(T(1.5), 2, 3), "weibull",
        [](double x) { return -std::expm1(-std::pow((x - 2) / 3, 1.5)); }, {2 + 3 * g1, 9 * (g2 - g1 * g1)});
  check(rng::cauchy<T>(1, 2), "cauchy", [](double x) { return 0.5 + std::atan((x - 1) / 2) / pi; }, {0, 0});
  check(rng::rayleigh<T>(1, 2), "rayleigh", [](double x) { return -std::expm1(-(x - 1) * (x - 1) / 4); },
        {1 + std::sqrt(pi), 4 - pi});
  check(rng::gumbel<T>(1, 2), "gumbel", [](double x) { return -std::expm1(-std::exp((x - 1) / 2)); },
        {1 - 2 * euler, 4 * pi * pi / 6});
  check(rng::laplace<T>(1, 2), "laplace", [](double x) {
    return x < 1 ? 0.5 * std::exp((x - 1) / 2) : 1 - 0.5 * std::exp(-(x - 1) / 2);
  }, {1, 8});
  for (const double shape : {0.3, 1.0, 2.5, 90.0})
    check(rng::gamma<T>(T(shape), 1, 2), ("gamma " + std::to_string(shape)).c_str(),
          [=](double x) { return gamma_below(shape, (x - 1) / 2); }, {1 + 2 * shape, 4 * shape});
  for (const double p : {0.4, 3.0}) {
    const double q = 1.5, sum = p + q;
    check(rng::beta<T>(T(p), T(q), 1, 2), ("beta " + std::to_string(p)).c_str(), [=](double x) {
      return beta_below(p, q, (x - 1) / 2);
    }, {1 + 2 * p / sum, 4 * p * q / (sum * sum * (sum + 1))});
  }
}

TEST(onemath_rng, reals_have_their_distributions_by_philox) {
  sycl::queue queue;
  expect_reals<float>(rng::philox4x32x10(queue, 20261130), "float");
  if (queue.get_device().has(sycl::aspect::fp64))
    expect_reals<double>(rng::philox4x32x10(queue, 20261130), "double");
}
TEST(onemath_rng, reals_have_their_distributions_by_mrg32k3a) {
  sycl::queue queue;
  expect_reals<float>(rng::mrg32k3a(queue, 20261130), "float");
  if (queue.get_device().has(sycl::aspect::fp64))
    expect_reals<double>(rng::mrg32k3a(queue, 20261130), "double");
}

// ---- distributions of integers

template <typename Engine>
void expect_integers(Engine engine) {
  const auto check = [&](const auto& distr, const std::string& what,
                         const std::function<double(double)>& probability, double first, double last,
                         const moments& of) {
    expect_counts(some(distr, engine), probability, first, last, of, what);
  };
  check(rng::uniform<std::int32_t>(-7, 13), "uniform", [](double) { return 0.05; }, -7, 12,
        {2.5, 399 / 12.0});
  check(rng::bernoulli<>(0.3f), "bernoulli", [](double k) { return k == 0 ? 0.7 : 0.3; }, 0, 1, {0.3, 0.21});
  check(rng::bernoulli<std::int32_t>(0.9f), "bernoulli of int", [](double k) { return k == 0 ? 0.1 : 0.9; },
        0, 1, {0.9, 0.09});
  for (const double p : {0.5, 0.03125})
    check(rng::geometric<>(float(p)), "geometric", [=](double k) { return p * std::pow(1 - p, k); }, 0, 500,
          {(1 - p) / p, (1 - p) / (p * p)});
  for (const double mean : {0.5, 3.7, 40.0, 2500.0})
    check(rng::poisson<>(mean), "poisson " + std::to_string(mean), [=](double k) {
      return std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
    }, 0, 2 * mean + 50, {mean, mean});
  for (const auto& [trials, p] : {std::pair(5, 0.5), std::pair(40, 0.1), std::pair(3000, 0.9)})
    check(rng::binomial<>(trials, p), "binomial " + std::to_string(trials),
          [n = double(trials), p = p](double k) {
      return std::exp(log_choose(n, k) + k * std::log(p) + (n - k) * std::log1p(-p));
    }, 0, trials, {trials * p, trials * p * (1 - p)});
}

TEST(onemath_rng, integers_have_their_distributions) {
  sycl::queue queue;
  expect_integers(rng::philox4x32x10(queue, 77));
  expect_integers(rng::mrg32k3a(queue, 77));
}

TEST(onemath_rng, wide_counts_are_approximated_by_normal_numbers) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 5);
  // The distribution function of the next half integer, with the first term of Edgeworth's series.
  const auto near_normal = [](double mean, double variance, double skewness) {
    return [=](double k) {
      const double z = (k + 0.5 - mean) / std::sqrt(variance);
      return normal(z) - skewness / 6 * (z * z - 1) * std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979);
    };
  };
  const double mean = 3e7;
  expect_law(some(rng::poisson<>(mean), engine), near_normal(mean, mean, 1 / std::sqrt(mean)), {mean, mean},
             "poisson");
  const double n = 2e9, p = 0.25, variance = n * p * (1 - p);
  expect_law(some(rng::binomial<>(int(n), p), engine),
             near_normal(n * p, variance, (1 - 2 * p) / std::sqrt(variance)), {n * p, variance}, "binomial");
}

TEST(onemath_rng, extreme_parameters_have_numbers) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 6);
  for (const std::int32_t each : some(rng::binomial<>(9, 1.0), engine, 50)) EXPECT_EQ(each, 9);
  for (const std::int32_t each : some(rng::binomial<>(9, 0.0), engine, 50)) EXPECT_EQ(each, 0);
  for (const std::uint32_t each : some(rng::bernoulli<>(1.0f), engine, 50)) EXPECT_EQ(each, 1u);
  for (const std::uint32_t each : some(rng::bernoulli<>(0.0f), engine, 50)) EXPECT_EQ(each, 0u);
  for (const std::int32_t each : some(rng::poisson<>(1e-12), engine, 50)) EXPECT_EQ(each, 0);
  constexpr std::int32_t least = -2147483647 - 1, most = 2147483647;
  bool has_negative = false, has_positive = false;
  for (const std::int32_t each : some(rng::uniform<std::int32_t>(least, most), engine, 50))
    (each < 0 ? has_negative : has_positive) = true;
  EXPECT_TRUE(has_negative && has_positive);
  constexpr float largest = std::numeric_limits<float>::max();
  for (const float each : some(rng::uniform<float>(-largest, largest), engine, 50))
    EXPECT_TRUE(std::isfinite(each));
  // One step of the type: a and b are all that rounding leaves, and accurate has no b.
  const float next = std::nextafter(1.0f, 2.0f);
  bool has_end = false;
  for (const float each : some(rng::uniform<float>(1, next), engine, 200)) has_end |= each == next;
  EXPECT_TRUE(has_end);
  for (const float each : some(rng::uniform<float, rng::uniform_method::accurate>(1, next), engine, 200))
    EXPECT_EQ(each, 1.0f);
  for (const float each : some(rng::gamma<float>(1e-3f, 0, 1), engine, 500))
    EXPECT_TRUE(each >= 0 && std::isfinite(each));
  for (const float each : some(rng::beta<float>(1e-3f, 1e-3f, 0, 1), engine, 500))
    EXPECT_TRUE(each >= 0 && each <= 1);
}

// ---- single numbers

/// The word's normal number by Newton's iteration on the exact distribution function.
double exact_normal(double p) {
  double x = 0;
  for (int i = 0; i < 200; ++i) {
    const double slope = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    const double step = (0.5 * std::erfc(x / std::sqrt(2.0)) - p) / slope;
    x += std::clamp(step, -0.5, 0.5);
    if (std::fabs(step) < 1e-15 * (1 + x)) break;
  }
  return x;
}
TEST(onemath_rng, normal_numbers_by_the_inverse_are_as_exact_as_their_type) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 3), words(engine);
  const std::vector<float> x = some(rng::gaussian<float, rng::gaussian_method::icdf>(0, 1), engine, 4000);
  const std::vector<std::uint32_t> w = some(rng::bits<>(), words, 4000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_upper = w[i] >> 31 != 0;
    const double tail = exact_normal((double(is_upper ? ~w[i] : w[i]) + 0.5) / 4294967296.0);
    EXPECT_NEAR(x[i], is_upper ? tail : -tail, 1e-6 * (tail + 0.1)) << w[i];
  }
  if (!queue.get_device().has(sycl::aspect::fp64))
    GTEST_SKIP() << device_name(queue) << " has no aspect::fp64: float only";
  rng::philox4x32x10 other(queue, 4), halves(other);
  const std::vector<double> y = some(rng::gaussian<double, rng::gaussian_method::icdf>(0, 1), other, 4000);
  const std::vector<std::uint32_t> v = some(rng::bits<>(), halves, 8000);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::uint64_t word = std::uint64_t(v[2 * i + 1]) << 32 | v[2 * i];
    const bool is_upper = word >> 63 != 0;
    const double tail = exact_normal((double(is_upper ? ~word : word) + 0.5) * 0x1p-64);
    EXPECT_NEAR(y[i], is_upper ? tail : -tail, 1e-13 * (tail + 1)) << word;
  }
}

TEST(onemath_rng, every_device_makes_the_same_bits_of_normal_numbers_by_the_inverse) {
  sycl::queue queue;
  if (!queue.get_device().has(sycl::aspect::fp64))
    GTEST_SKIP() << device_name(queue) << " has no aspect::fp64";
  rng::mrg32k3a engine(queue, 9);
  std::uint64_t bits = 0;
  for (const double each : some(rng::gaussian<double, rng::gaussian_method::icdf>(-1, 3), engine)) {
    std::uint64_t b;
    std::memcpy(&b, &each, 8);
    bits = (bits ^ b) * 0x9e3779b97f4a7c15u;
  }
  // Of host, PoCL and lavapipe on 30 November 2026.
  EXPECT_EQ(bits, 0x57905fbf57d674afu) << std::hex << bits;
}

TEST(onemath_rng, uniform_numbers_are_those_of_their_words) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 3), words(engine);
  const std::vector<float> x = some(rng::uniform<float>(-1, 3), engine, 500);
  const std::vector<std::uint32_t> w = some(rng::bits<>(), words, 500);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const volatile float product = 4.0f * (float(w[i] >> 8) * 0x1p-24f);
    EXPECT_EQ(x[i], -1.0f + product);
  }
}

TEST(onemath_rng, pairs_of_normal_numbers_are_independent_at_odd_ends) {
  sycl::queue queue;
  rng::philox4x32x10 engine(queue, 12);
  std::vector<double> x;
  for (int i = 0; i < 800; ++i) // 800 x 3: the third of each takes the words of a pair
    for (const float each : some(rng::gaussian<float>(0, 1), engine, 3)) x.push_back(each);
  expect_law(x, normal, {0, 1}, "odd numbers");
  double product = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) product += x[i] * x[i + 1] / double(x.size());
  EXPECT_LT(std::fabs(product), 5 / std::sqrt(double(x.size())));
  rng::philox4x32x10 one(queue, 12), other(queue, 12);
  some(rng::gaussian<float>(0, 1), one, 3);
  rng::skip_ahead(other, 4);
  EXPECT_EQ(some(rng::bits<>(), one, 9), some(rng::bits<>(), other, 9));
}

} // namespace
