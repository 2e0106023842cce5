// Mathematical functions of arrays on the host device: their distance from the exact values, which `long
// double` computes, and the values at the ends of their domains, which are those of the C library.
#include "tests/sycl/common.hpp"

#include <prism/array.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

namespace {

using namespace prism;
using reals = std::vector<double>;

struct function_case {
  const char* name;
  any_array (*ours)(const any_array&);
  long double (*exact)(long double);
  double (*library)(double);
  double low, high; // of arguments that are spread evenly
  double bound;     // in units in the last place
};

#define PRISM_FUNCTION(name, low, high, bound)                                                               \
  {#name, [](const any_array& a) { return prism::name(a); }, [](long double x) {                             \
    return std::name(x);                                                                                     \
  }, [](double x) { return std::name(x); }, low, high, bound}
const function_case cases[] = {PRISM_FUNCTION(exp, -20, 20, 1),  PRISM_FUNCTION(expm1, -3, 3, 2),
                               PRISM_FUNCTION(log, 0.1, 30, 1),  PRISM_FUNCTION(log1p, -0.9, 30, 1),
                               PRISM_FUNCTION(log2, 0.1, 30, 1), PRISM_FUNCTION(log10, 0.1, 30, 1),
                               PRISM_FUNCTION(sin, -50, 50, 1),  PRISM_FUNCTION(cos, -50, 50, 1),
                               PRISM_FUNCTION(tan, -50, 50, 3),  PRISM_FUNCTION(asin, -1, 1, 1),
                               PRISM_FUNCTION(acos, -1, 1, 1),   PRISM_FUNCTION(atan, -9, 9, 1),
                               PRISM_FUNCTION(sinh, -9, 9, 2),   PRISM_FUNCTION(cosh, -9, 9, 2),
                               PRISM_FUNCTION(tanh, -9, 9, 3),   PRISM_FUNCTION(asinh, -9, 9, 2),
                               PRISM_FUNCTION(acosh, 1, 9, 3),   PRISM_FUNCTION(atanh, -0.99, 0.99, 2),
                               PRISM_FUNCTION(exp2, -20, 20, 1), PRISM_FUNCTION(cbrt, -30, 30, 1)};
#undef PRISM_FUNCTION

/// The distance from the exact value in units in the last place of a double.
double distance(double found, long double exact) {
  int exponent = 0;
  std::frexp(double(exact), &exponent);
  return double(std::fabs((long double)found - exact) / std::ldexp(1.0L, exponent - 53));
}

/// Evenly between the bounds, and of all sizes.
reals arguments_of(const function_case& f, std::size_t n) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> even(f.low, f.high), exponent(-60, 300);
  reals out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = i % 2 == 0 ? even(random) : std::exp2(exponent(random)) * (i % 4 == 1 ? 1 : -1);
  return out;
}

class functions_of_arrays : public testing::Test {
protected:
  void SetUp() override {
    if (sycl::device().get_backend() != sycl::backend::ext_prism_host)
      GTEST_SKIP() << sycl::device().get_info<sycl::info::device::name>() << " has functions of its own";
  }
};

TEST_F(functions_of_arrays, are_close_to_the_exact_values) {
  for (const function_case& f : cases) {
    const reals x = arguments_of(f, 40000), y = f.ours(asarray(x)).to_vector<double>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double exact = f.exact(x[i]);
      if (const double library = f.library(x[i]); !std::isnormal(library)) {
        EXPECT_TRUE(y[i] == library || (std::isnan(y[i]) && std::isnan(library)) ||
                    std::fabs(y[i] - library) <= 2 * std::numeric_limits<double>::denorm_min())
            << f.name << "(" << x[i] << ") is " << y[i];
      } else {
        ASSERT_LE(distance(y[i], exact), f.bound) << f.name << "(" << x[i] << ") is " << y[i];
      }
    }
  }
}

TEST_F(functions_of_arrays, have_the_values_of_the_c_library_at_the_ends) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const reals ends{0.0,    -0.0,    1.0,      -1.0,  inf,    -inf, std::nan(""),
                   5e-324, -5e-324, 2.2e-308, 1e308, -1e308, 710,  -746};
  for (const function_case& f : cases)
    for (const std::size_t count : {std::size_t(1), ends.size(), std::size_t(700)}) {
      reals x(count, 0.75);
      for (std::size_t i = 0; i < std::min(count, ends.size()); ++i) x[count - 1 - i] = ends[i];
      const reals y = f.ours(asarray(x)).to_vector<double>();
      for (std::size_t i = 0; i < count; ++i) {
        const double library = f.library(x[i]);
        if (std::isnan(library)) EXPECT_TRUE(std::isnan(y[i])) << f.name << "(" << x[i] << ") is " << y[i];
        else if (std::isnormal(library))
          EXPECT_LE(distance(y[i], f.exact(x[i])), f.bound) << f.name << "(" << x[i] << ")";
        else {
          EXPECT_EQ(y[i], library) << f.name << "(" << x[i] << ")";
          EXPECT_EQ(std::signbit(y[i]), std::signbit(library)) << f.name << "(" << x[i] << ")";
        }
      }
    }
}

TEST_F(functions_of_arrays, raise_numbers_to_powers_of_all_sizes) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> unit(0, 1);
  reals x, y;
  for (int i = 0; i < 40000; ++i) {
    x.push_back(i % 2 == 0 ? unit(random) * 4 : std::exp2(unit(random) * 600 - 300));
    y.push_back(i % 3 == 0 ? unit(random) * 8 - 4 : (unit(random) - 0.5) * std::exp2(unit(random) * 14 - 7));
  }
  const reals found = pow(asarray(x), asarray(y)).to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const double library = std::pow(x[i], y[i]); std::isnormal(library))
      ASSERT_LE(distance(found[i], std::pow((long double)x[i], (long double)y[i])), 1)
          << x[i] << " to " << y[i];
    else ASSERT_EQ(found[i], library) << x[i] << " to " << y[i];
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  for (const double a : {0.0, -0.0, 1.0, -1.0, -8.0, 2.0, inf, -inf, nan, 5e-324, 1e308})
    for (const double b :
         {0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 5.0, 1.5, inf, -inf, nan, 1e300, 1024.0, -1080.0}) {
      const double got = pow(asarray(reals{a}), asarray(reals{b})).to_vector<double>()[0],
                   library = std::pow(a, b);
      if (std::isnormal(library))
        EXPECT_LE(distance(got, std::pow((long double)a, (long double)b)), 1) << a << " to " << b;
      else
        EXPECT_TRUE(got == library || (std::isnan(got) && std::isnan(library)))
            << a << " to " << b << " is " << got;
    }
}

TEST_F(functions_of_arrays, have_the_angles_and_sizes_of_points_in_every_quadrant) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> unit(-1, 1), exponent(-600, 600);
  reals x, y;
  for (int i = 0; i < 20000; ++i) {
    const double by = i % 2 == 0 ? 1.0 : std::exp2(exponent(random));
    x.push_back(unit(random) * by), y.push_back(unit(random) * (i % 3 == 0 ? by : 1.0));
  }
  for (const double a : {0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 5e-324, 1e308, -1e-200})
    for (const double b : {0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 5e-324, 1e308, -1e-200})
      x.push_back(a), y.push_back(b);
  std::vector<std::complex<double>> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.emplace_back(x[i], y[i]);
  const reals angles = atan2(asarray(y), asarray(x)).to_vector<double>(),
              sizes = abs(asarray(points)).to_vector<double>();
  const auto expect = [&](double found, double library, long double exact, std::size_t i) {
    if (std::isnormal(library)) ASSERT_LE(distance(found, exact), 2) << x[i] << ", " << y[i];
    else
      ASSERT_TRUE(found == library || (std::isnan(found) && std::isnan(library)))
          << x[i] << ", " << y[i] << ": " << found;
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    expect(angles[i], std::atan2(y[i], x[i]), std::atan2((long double)y[i], (long double)x[i]), i);
    expect(sizes[i], std::hypot(x[i], y[i]), std::hypot((long double)x[i], (long double)y[i]), i);
    if (angles[i] == 0) {
      EXPECT_EQ(std::signbit(angles[i]), std::signbit(y[i]));
    }
  }
}

TEST_F(functions_of_arrays, raise_numbers_of_float_to_powers) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<float> base(0, 9), exponent(-30, 30);
  std::vector<float> x, y;
  for (int i = 0; i < 20000; ++i) x.push_back(base(random)), y.push_back(exponent(random));
  const std::vector<float> found = pow(asarray(x), asarray(y)).to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float exact = float(std::pow(double(x[i]), double(y[i])));
    ASSERT_TRUE(found[i] == exact || found[i] == std::nextafter(exact, found[i])) << x[i] << " to " << y[i];
  }
}

TEST_F(functions_of_arrays, have_the_angles_of_points_of_float_in_every_quadrant) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::mt19937_64 random(10);
  std::uniform_real_distribution<float> unit(-1, 1), exponent(-100, 100);
  std::vector<float> x, y;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(unit(random) * (i % 3 == 0 ? std::exp2(exponent(random)) : 1));
    y.push_back(unit(random));
  }
  for (const float a : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, 1e-45f, 3e38f})
    for (const float b : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, 1e-45f, 3e38f})
      x.push_back(a), y.push_back(b);
  const std::vector<float> found = atan2(asarray(y), asarray(x)).to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float exact = float(std::atan2(double(y[i]), double(x[i])));
    ASSERT_TRUE((std::isnan(exact) && std::isnan(found[i])) || found[i] == exact ||
                found[i] == std::nextafter(exact, found[i]))
        << y[i] << ", " << x[i] << ": " << found[i];
    if (exact == 0) {
      EXPECT_EQ(std::signbit(found[i]), std::signbit(exact));
    }
  }
}

TEST_F(functions_of_arrays, of_float_are_rounded_values_of_double) {
  for (const function_case& f : cases) {
    std::vector<float> x;
    for (const double each : arguments_of(f, 40000)) x.push_back(float(each));
    const std::vector<float> y = f.ours(asarray(x)).to_vector<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float exact = float(f.library(double(x[i])));
      if (std::isnan(exact)) ASSERT_TRUE(std::isnan(y[i])) << f.name << "(" << x[i] << ")";
      else
        ASSERT_TRUE(y[i] == exact || y[i] == std::nextafter(exact, y[i]))
            << f.name << "(" << x[i] << ") is " << y[i];
    }
  }
}

TEST_F(functions_of_arrays, of_float_are_rounded_values_of_double_for_numbers_of_every_size) {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < std::uint64_t(1) << 32; bits += 65521)
    x.push_back(sycl::bit_cast<float>(std::uint32_t(bits)));
  for (const float each : {0.5f, 1.0f, 0x1p28f, 0x1p66f, 80.0f, 3e38f, 1e-45f, 0.0f})
    for (const float size : {each, std::nextafter(each, 0.0f), std::nextafter(each, 1e38f)})
      x.push_back(size), x.push_back(-size);
  for (const function_case& f : cases) {
    const std::vector<float> y = f.ours(asarray(x)).to_vector<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float exact = float(f.library(double(x[i])));
      if (std::isnan(exact)) ASSERT_TRUE(std::isnan(y[i])) << f.name << "(" << x[i] << ")";
      else {
        ASSERT_TRUE(y[i] == exact || y[i] == std::nextafter(exact, y[i]))
            << f.name << "(" << x[i] << ") is " << y[i] << ", not " << exact;
        ASSERT_EQ(std::signbit(y[i]), std::signbit(exact)) << f.name << "(" << x[i] << ")";
      }
    }
  }
}

} // namespace
