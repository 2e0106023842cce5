// Compares the device math library, compiled for this machine, with MPFR: every function's error stays within
// SYCL's limit (OpenCL 1.2, 7.4, full profile). Prints the largest error that each function showed.
#include "tests/compiler/builtins/reference.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#define PRISM_DECLARE_1(NAME)                                                                                \
  extern "C" float __prism_builtin_##NAME##f(float);                                                         \
  extern "C" double __prism_builtin_##NAME(double);
#define PRISM_DECLARE_2(NAME)                                                                                \
  extern "C" float __prism_builtin_##NAME##f(float, float);                                                  \
  extern "C" double __prism_builtin_##NAME(double, double);
// The forms for loops over work-items.
#define PRISM_DECLARE_LANE_1(NAME)                                                                           \
  extern "C" float __prism_lane_##NAME##f(float);                                                            \
  extern "C" double __prism_lane_##NAME(double);
#define PRISM_DECLARE_LANE_2(NAME)                                                                           \
  extern "C" float __prism_lane_##NAME##f(float, float);                                                     \
  extern "C" double __prism_lane_##NAME(double, double);
extern "C" float __prism_any_lane_sinf(float);
extern "C" float __prism_any_lane_cosf(float);
extern "C" float __prism_any_lane_tanf(float);
// clang-format off: a table
PRISM_DECLARE_1(exp) PRISM_DECLARE_1(exp2) PRISM_DECLARE_1(exp10) PRISM_DECLARE_1(expm1)
PRISM_DECLARE_1(sinh) PRISM_DECLARE_1(cosh) PRISM_DECLARE_1(tanh)
PRISM_DECLARE_1(log) PRISM_DECLARE_1(log2) PRISM_DECLARE_1(log10) PRISM_DECLARE_1(log1p)
PRISM_DECLARE_1(asinh) PRISM_DECLARE_1(acosh) PRISM_DECLARE_1(atanh)
PRISM_DECLARE_1(sin) PRISM_DECLARE_1(cos) PRISM_DECLARE_1(tan)
PRISM_DECLARE_1(asin) PRISM_DECLARE_1(acos) PRISM_DECLARE_1(atan)
PRISM_DECLARE_1(cbrt) PRISM_DECLARE_1(erf) PRISM_DECLARE_1(erfc) PRISM_DECLARE_1(tgamma) PRISM_DECLARE_1(lgamma)
PRISM_DECLARE_1(round) PRISM_DECLARE_1(logb)
PRISM_DECLARE_2(pow) PRISM_DECLARE_2(hypot) PRISM_DECLARE_2(atan2) PRISM_DECLARE_2(fmod) PRISM_DECLARE_2(remainder)
PRISM_DECLARE_LANE_1(exp) PRISM_DECLARE_LANE_1(exp2) PRISM_DECLARE_LANE_1(exp10) PRISM_DECLARE_LANE_1(expm1)
PRISM_DECLARE_LANE_1(sinh) PRISM_DECLARE_LANE_1(cosh) PRISM_DECLARE_LANE_1(tanh)
PRISM_DECLARE_LANE_1(log) PRISM_DECLARE_LANE_1(log2) PRISM_DECLARE_LANE_1(log10) PRISM_DECLARE_LANE_1(log1p)
PRISM_DECLARE_LANE_1(asinh) PRISM_DECLARE_LANE_1(acosh) PRISM_DECLARE_LANE_1(atanh)
PRISM_DECLARE_LANE_1(sin) PRISM_DECLARE_LANE_1(cos) PRISM_DECLARE_LANE_1(tan)
PRISM_DECLARE_LANE_1(asin) PRISM_DECLARE_LANE_1(acos) PRISM_DECLARE_LANE_1(atan)
PRISM_DECLARE_LANE_1(cbrt) PRISM_DECLARE_LANE_1(erf) PRISM_DECLARE_LANE_1(erfc)
PRISM_DECLARE_LANE_2(pow) PRISM_DECLARE_LANE_2(hypot) PRISM_DECLARE_LANE_2(atan2)
PRISM_DECLARE_2(fdim) PRISM_DECLARE_2(fmax) PRISM_DECLARE_2(fmin) PRISM_DECLARE_2(nextafter)
    // clang-format on

    namespace {

  using builtins_test::edges;
  using builtins_test::from_random_bits;
  using builtins_test::real;
  using builtins_test::ulp_error;

  using mpfr_unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using mpfr_binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

  struct unary_row {
    const char* name;
    float (*single)(float);
    double (*full)(double);
    mpfr_unary exact;
    double limit;
    double from, to; // the range of most arguments; random bit patterns are added
  };
#define PRISM_ROW(NAME) #NAME, __prism_builtin_##NAME##f, __prism_builtin_##NAME
#define PRISM_LANE_ROW(NAME) "lane " #NAME, __prism_lane_##NAME##f, __prism_lane_##NAME
  const unary_row unary_rows[] = {
      {PRISM_ROW(exp), mpfr_exp, 3, -750, 720},
      {PRISM_ROW(exp2), mpfr_exp2, 3, -1080, 1030},
      {PRISM_ROW(exp10), mpfr_exp10, 3, -330, 312},
      {PRISM_ROW(expm1), mpfr_expm1, 3, -2, 2},
      {PRISM_ROW(sinh), mpfr_sinh, 4, -25, 25},
      {PRISM_ROW(cosh), mpfr_cosh, 4, -25, 25},
      {PRISM_ROW(tanh), mpfr_tanh, 5, -5, 5},
      {PRISM_ROW(log), mpfr_log, 3, 0, 4},
      {PRISM_ROW(log2), mpfr_log2, 3, 0, 4},
      {PRISM_ROW(log10), mpfr_log10, 3, 0, 4},
      {PRISM_ROW(log1p), mpfr_log1p, 2, -1, 3},
      {PRISM_ROW(asinh), mpfr_asinh, 4, -5, 5},
      {PRISM_ROW(acosh), mpfr_acosh, 4, 1, 5},
      {PRISM_ROW(atanh), mpfr_atanh, 5, -1, 1},
      {PRISM_ROW(sin), mpfr_sin, 4, -200, 200},
      {PRISM_ROW(cos), mpfr_cos, 4, -200, 200},
      {PRISM_ROW(tan), mpfr_tan, 5, -200, 200},
      {PRISM_ROW(asin), mpfr_asin, 4, -1, 1},
      {PRISM_ROW(acos), mpfr_acos, 4, -1, 1},
      {PRISM_ROW(atan), mpfr_atan, 5, -5, 5},
      {PRISM_ROW(cbrt), mpfr_cbrt, 2, -30, 30},
      {PRISM_ROW(erf), mpfr_erf, 16, -4, 4},
      {PRISM_ROW(erfc), mpfr_erfc, 16, -5, 28},
      {PRISM_ROW(tgamma), mpfr_gamma, 16, -180, 172},
      // limits of compiler/builtins/branch_free*.hpp
      {PRISM_LANE_ROW(exp), mpfr_exp, 1, -750, 720},
      {PRISM_LANE_ROW(exp2), mpfr_exp2, 1, -1080, 1030},
      {PRISM_LANE_ROW(exp10), mpfr_exp10, 1, -330, 312},
      {PRISM_LANE_ROW(expm1), mpfr_expm1, 2, -2, 2},
      {PRISM_LANE_ROW(sinh), mpfr_sinh, 2, -25, 25},
      {PRISM_LANE_ROW(cosh), mpfr_cosh, 2, -25, 25},
      {PRISM_LANE_ROW(tanh), mpfr_tanh, 3, -5, 5},
      {PRISM_LANE_ROW(log), mpfr_log, 1, 0, 4},
      {PRISM_LANE_ROW(log2), mpfr_log2, 1.1, 0, 4},
      {PRISM_LANE_ROW(log10), mpfr_log10, 1, 0, 4},
      {PRISM_LANE_ROW(log1p), mpfr_log1p, 1, -1, 3},
      {PRISM_LANE_ROW(asinh), mpfr_asinh, 2, -5, 5},
      {PRISM_LANE_ROW(acosh), mpfr_acosh, 3, 1, 5},
      {PRISM_LANE_ROW(atanh), mpfr_atanh, 2, -1, 1},
      {PRISM_LANE_ROW(sin), mpfr_sin, 1, -200, 200},
      {PRISM_LANE_ROW(cos), mpfr_cos, 1, -200, 200},
      {PRISM_LANE_ROW(tan), mpfr_tan, 3, -200, 200},
      {PRISM_LANE_ROW(asin), mpfr_asin, 1, -1, 1},
      {PRISM_LANE_ROW(acos), mpfr_acos, 1, -1, 1},
      {PRISM_LANE_ROW(atan), mpfr_atan, 1, -5, 5},
      {PRISM_LANE_ROW(cbrt), mpfr_cbrt, 1, -30, 30},
      {PRISM_LANE_ROW(erf), mpfr_erf, 3, -4, 4},
      {PRISM_LANE_ROW(erfc), mpfr_erfc, 4, -5, 28},
  };

  template <typename T>
  double worst_of(T(*function)(T), mpfr_unary exact, double from, double to, T& where) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> inside(from, to);
    double worst = 0;
    real x, y;
    auto check = [&](T argument) {
      mpfr_set_d(x, static_cast<double>(argument), MPFR_RNDN);
      exact(y, x, MPFR_RNDN);
      const double error = ulp_error(function(argument), static_cast<mpfr_ptr>(y));
      if (!(error <= worst)) {
        worst = error;
        where = argument;
      }
    };
    for (T x0 : edges<T>()) check(x0);
    for (int i = 0; i < 4000; ++i) check(static_cast<T>(inside(random)));
    for (int i = 0; i < 2000; ++i) {
      const T argument = from_random_bits<T>(random);
      // MPFR needs minutes for gamma and erfc of huge arguments, whose results are infinite, zero or poles.
      if ((exact == mpfr_gamma || exact == mpfr_erfc || exact == mpfr_erf) && std::fabs(argument) > 1e4)
        continue;
      check(argument);
    }
    return worst;
  }

  TEST(builtins, angles_of_any_size_need_no_call) {
    std::mt19937_64 random(9);
    const std::pair<float (*)(float), mpfr_unary> functions[] = {{__prism_any_lane_sinf, mpfr_sin},
                                                                 {__prism_any_lane_cosf, mpfr_cos},
                                                                 {__prism_any_lane_tanf, mpfr_tan}};
    for (const auto& [function, exact] : functions) {
      float at = 0;
      const double worst = worst_of<float>(function, exact, -2000000, 2000000, at);
      std::printf("any angle %.3f\n", worst);
      EXPECT_LE(worst, 1.2) << std::hexfloat << at << " gives " << function(at);
      real x, y;
      for (int i = 0; i < 100000; ++i) { // multiples of right angles, rounded: the largest cancellation
        const double angle = std::ldexp(1.5707963267948966 * double(random() >> 40), int(random() % 100));
        const float given = static_cast<float>(angle);
        if (!std::isfinite(given)) continue;
        mpfr_set_d(x, given, MPFR_RNDN);
        exact(y, x, MPFR_RNDN);
        EXPECT_LE(ulp_error(function(given), static_cast<mpfr_ptr>(y)), 1.2) << std::hexfloat << given;
      }
    }
  }

  TEST(builtins, unary_functions_stay_within_their_limits) {
    std::printf("%-10s %6s %10s %10s\n", "function", "limit", "float", "double");
    for (const unary_row& row : unary_rows) {
      float at_single = 0;
      double at_full = 0;
      const double single = worst_of<float>(row.single, row.exact, row.from, row.to, at_single);
      const double full = worst_of<double>(row.full, row.exact, row.from, row.to, at_full);
      std::printf("%-10s %6.1f %10.3f %10.3f\n", row.name, row.limit, single, full);
      EXPECT_LE(single, row.limit) << row.name << "f at " << std::hexfloat << at_single << " gives "
                                   << row.single(at_single);
      EXPECT_LE(full, row.limit) << row.name << " at " << std::hexfloat << at_full << " gives "
                                 << row.full(at_full);
    }
  }

  struct binary_row {
    const char* name;
    float (*single)(float, float);
    double (*full)(double, double);
    mpfr_binary exact;
    double limit;
    double from, to;
  };
  const binary_row binary_rows[] = {
      {PRISM_ROW(pow), mpfr_pow, 16, 0, 40},
      {PRISM_ROW(hypot), mpfr_hypot, 4, -9, 9},
      {PRISM_ROW(atan2), mpfr_atan2, 6, -3, 3},
      {PRISM_ROW(fmod), mpfr_fmod, 0, -100, 100},
      {PRISM_ROW(remainder), mpfr_remainder, 0, -100, 100},
      {PRISM_ROW(fdim), mpfr_dim, 0.5, -9, 9},
      {PRISM_ROW(fmax), mpfr_max, 0, -9, 9},
      {PRISM_ROW(fmin), mpfr_min, 0, -9, 9},
      {PRISM_LANE_ROW(pow), mpfr_pow, 1, 0, 40},
      {PRISM_LANE_ROW(hypot), mpfr_hypot, 1.5, -9, 9},
      {PRISM_LANE_ROW(atan2), mpfr_atan2, 2, -3, 3},
  };

  template <typename T>
  double worst_of(T(*function)(T, T), mpfr_binary exact, double from, double to, T where[2]) {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> inside(from, to);
    double worst = 0;
    real x, y, z;
    auto check = [&](T a, T b) {
      mpfr_set_d(x, static_cast<double>(a), MPFR_RNDN);
      mpfr_set_d(y, static_cast<double>(b), MPFR_RNDN);
      exact(z, x, y, MPFR_RNDN);
      const double error = ulp_error(function(a, b), static_cast<mpfr_ptr>(z));
      if (!(error <= worst)) {
        worst = error;
        where[0] = a;
        where[1] = b;
      }
    };
    const auto special = edges<T>();
    for (std::size_t i = 0; i < special.size(); i += 1) {
      for (std::size_t j = i % 3; j < special.size(); j += 3) check(special[i], special[j]);
    }
    for (int i = 0; i < 8000; ++i) check(static_cast<T>(inside(random)), static_cast<T>(inside(random)));
    for (int i = 0; i < 4000; ++i) check(from_random_bits<T>(random), from_random_bits<T>(random));
    if (exact == mpfr_pow) { // near one, where only exact logarithms help, and results of all magnitudes
      for (int i = 0; i < 8000; ++i) {
        const T base = std::fabs(from_random_bits<T>(random));
        const double log2 = std::log2(double(base));
        if (std::isfinite(base) && log2 != 0) check(base, static_cast<T>((inside(random) - 20) * 60 / log2));
        const T near_one = static_cast<T>(1 + (inside(random) - 20) * 1e-3);
        check(near_one, static_cast<T>((inside(random) - 20) * 1e3));
      }
    }
    return worst;
  }

  TEST(builtins, binary_functions_stay_within_their_limits) {
    std::printf("%-10s %6s %10s %10s\n", "function", "limit", "float", "double");
    for (const binary_row& row : binary_rows) {
      float at_single[2] = {};
      double at_full[2] = {};
      const double single = worst_of<float>(row.single, row.exact, row.from, row.to, at_single);
      const double full = worst_of<double>(row.full, row.exact, row.from, row.to, at_full);
      std::printf("%-10s %6.1f %10.3f %10.3f\n", row.name, row.limit, single, full);
      EXPECT_LE(single, row.limit) << row.name << "f at " << std::hexfloat << at_single[0] << ", "
                                   << at_single[1] << " gives " << row.single(at_single[0], at_single[1]);
      EXPECT_LE(full, row.limit) << row.name << " at " << std::hexfloat << at_full[0] << ", " << at_full[1]
                                 << " gives " << row.full(at_full[0], at_full[1]);
    }
  }

  template <typename T>
  double worst_lgamma(T(*function)(T)) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> inside(1e-3, 300), small(1e-3, 4);
    double worst = 0;
    real x, y;
    for (int i = 0; i < 10000; ++i) {
      const T argument = static_cast<T>(i % 2 ? inside(random) : small(random));
      mpfr_set_d(x, argument, MPFR_RNDN);
      mpfr_lngamma(y, x, MPFR_RNDN);
      worst = std::max(worst, ulp_error(function(argument), static_cast<mpfr_ptr>(y)));
    }
    return worst;
  }

  TEST(builtins, lgamma_is_accurate_for_positive_arguments) { // SYCL sets no limit
    const double single = worst_lgamma<float>(__prism_builtin_lgammaf),
                 full = worst_lgamma<double>(__prism_builtin_lgamma);
    std::printf("%-8s %6s %10.3f %10.3f\n", "lgamma", "none", single, full);
    EXPECT_LE(single, 16);
    EXPECT_LE(full, 16);
  }

} // namespace
