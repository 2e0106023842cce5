// Compares the complex functions of the device math library, compiled for this machine, with the C library's:
// each part's error against long double, and infinities, NaN and signs of zeros against double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#define PRISM_DECLARE(NAME)                                                                                  \
  extern "C" float _Complex __prism_builtin_##NAME##f(float _Complex);                                       \
  extern "C" double _Complex __prism_builtin_##NAME(double _Complex);
// clang-format off: a table
PRISM_DECLARE(cexp) PRISM_DECLARE(clog) PRISM_DECLARE(csqrt)
PRISM_DECLARE(csin) PRISM_DECLARE(ccos) PRISM_DECLARE(ctan)
PRISM_DECLARE(csinh) PRISM_DECLARE(ccosh) PRISM_DECLARE(ctanh)
PRISM_DECLARE(casin) PRISM_DECLARE(cacos) PRISM_DECLARE(catan)
PRISM_DECLARE(casinh) PRISM_DECLARE(cacosh) PRISM_DECLARE(catanh)
    // clang-format on

    namespace {

  template <typename T>
  using number = std::complex<T>;
  using wide = long double;

  struct row {
    const char* name;
    float _Complex (*single)(float _Complex);
    double _Complex (*full)(double _Complex);
    number<wide> (*exact)(const number<wide>&);
    number<double> (*standard)(const number<double>&);
    double limit; // units in the last place of each part
  };
#define PRISM_ROW(NAME, LIMIT)                                                                               \
  {"c" #NAME, __prism_builtin_c##NAME##f, __prism_builtin_c##NAME, std::NAME<wide>, std::NAME<double>, LIMIT}
  const row rows[] = {
      PRISM_ROW(exp, 12),   PRISM_ROW(log, 4),    PRISM_ROW(sqrt, 4),   PRISM_ROW(sin, 12),
      PRISM_ROW(cos, 12),   PRISM_ROW(tan, 24),   PRISM_ROW(sinh, 12),  PRISM_ROW(cosh, 12),
      PRISM_ROW(tanh, 24),  PRISM_ROW(asin, 16),  PRISM_ROW(acos, 16),  PRISM_ROW(atan, 16),
      PRISM_ROW(asinh, 16), PRISM_ROW(acosh, 16), PRISM_ROW(atanh, 16),
  };

  template <typename T>
  number<T> called(const row& r, number<T> z) {
    using C = std::conditional_t<std::is_same_v<T, float>, float _Complex, double _Complex>;
    C argument;
    __real__ argument = z.real();
    __imag__ argument = z.imag();
    C result;
    if constexpr (std::is_same_v<T, float>) result = r.single(argument);
    else result = r.full(argument);
    return {__real__ result, __imag__ result};
  }

  /// Numbers of all sizes and in all quadrants; near the circle of radius 1, near 1, i and the axes.
  template <typename T>
  std::vector<number<T>> samples() {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> angle(0, 2 * M_PI), unit(0, 1);
    const double decades = std::is_same_v<T, float> ? 12 : 40;
    std::vector<number<T>> all;
    for (int i = 0; i < 3000; ++i) {
      const double t = angle(random), small = std::pow(10, -12 * unit(random));
      const std::complex<double> direction = std::polar(1.0, t);
      for (const std::complex<double> z : {direction,
                                           direction * (1 + small * 1e-3),
                                           direction * std::pow(10, decades * (unit(random) - 0.5)),
                                           direction * 3.0 * unit(random),
                                           1.0 + direction * small,
                                           std::complex<double>(-1) + direction * small,
                                           std::complex<double>(0, 1) + direction * small,
                                           {4 * unit(random) - 2, small},
                                           {small, 4 * unit(random) - 2}})
        all.emplace_back(T(z.real()), T(z.imag()));
    }
    return all;
  }

  template <typename T>
  double units(T found, wide exact) {
    const T rounded = static_cast<T>(exact);
    if (!std::isfinite(rounded)) return std::isfinite(found) ? INFINITY : 0;
    int exponent = 0;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    return double(std::abs(wide(found) - exact) /
                  std::ldexp(wide(1), exponent - std::numeric_limits<T>::digits));
  }

  template <typename T>
  void expect_accurate_parts() {
    const std::vector<number<T>> all = samples<T>();
    for (const row& r : rows) {
      double worst[2] = {0, 0};
      number<T> where[2];
      for (const number<T>& z : all) {
        const number<T> found = called(r, z);
        const number<wide> exact = r.exact(number<wide>(z));
        const double errors[2] = {units(found.real(), exact.real()), units(found.imag(), exact.imag())};
        for (int k = 0; k < 2; ++k)
          if (!(errors[k] <= worst[k])) worst[k] = errors[k], where[k] = z;
      }
      std::printf("%-8s %d bits: %.2f units at (%.9g, %.9g), %.2f at (%.9g, %.9g)\n", r.name,
                  int(sizeof(T)) * 8, worst[0], double(where[0].real()), double(where[0].imag()), worst[1],
                  double(where[1].real()), double(where[1].imag()));
      EXPECT_LE(worst[0], r.limit) << r.name << " real part at " << where[0];
      EXPECT_LE(worst[1], r.limit) << r.name << " imaginary part at " << where[1];
    }
  }
  TEST(builtins, both_parts_of_complex_float_functions_are_accurate) { expect_accurate_parts<float>(); }
  TEST(builtins, both_parts_of_complex_double_functions_are_accurate) { expect_accurate_parts<double>(); }

  /// Equal values, with the signs of zeros and infinities where the other part is a number: C leaves them
  /// open next to a NaN.
  bool is_same(double found, double standard, double other) {
    if (std::isnan(standard) || std::isnan(found)) return std::isnan(standard) && std::isnan(found);
    const bool is_special = std::isinf(standard) || standard == 0;
    if (is_special && std::isnan(other)) return std::fabs(found) == std::fabs(standard);
    if (is_special) return found == standard && std::signbit(found) == std::signbit(standard);
    return std::fabs(found - standard) <= 1e-15 * std::fabs(standard);
  }

  TEST(builtins, complex_functions_of_infinities_nan_and_zeros_are_those_of_c) {
    const double parts[] = {0.0, -0.0, 1.0, -1.0, 0.5, -2.0, INFINITY, -INFINITY, NAN};
    for (const row& r : rows)
      for (const double re : parts)
        for (const double im : parts) {
          const number<double> z(re, im), found = called(r, z), standard = r.standard(z);
          EXPECT_TRUE(is_same(found.real(), standard.real(), standard.imag()) &&
                      is_same(found.imag(), standard.imag(), standard.real()))
              << r.name << z << " is " << found << ", C's library says " << standard;
        }
  }

  TEST(builtins, complex_functions_of_a_nan_and_a_huge_number_are_those_of_c) {
    for (const row& r : rows)
      for (const double huge : {1e300, -1e300, 1e160})
        for (const number<double> z : {number<double>(NAN, huge), number<double>(huge, NAN)}) {
          const number<double> found = called(r, z), standard = r.standard(z);
          EXPECT_TRUE(is_same(found.real(), standard.real(), standard.imag()) &&
                      is_same(found.imag(), standard.imag(), standard.real()))
              << r.name << z << " is " << found << ", C's library says " << standard;
        }
  }

} // namespace
