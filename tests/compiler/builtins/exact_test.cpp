// Compares the device math library's functions that must be exact with the C library of this machine, which
// is exact.
#include "tests/compiler/builtins/reference.hpp"

#include <gtest/gtest.h>

#include <complex>

extern "C" {
float __prism_builtin_fmaf(float, float, float);
float __prism_builtin_fmaf_nofp64(float, float, float);
double __prism_builtin_fma(double, double, double);
float __prism_builtin_frexpf(float, int*);
double __prism_builtin_frexp(double, int*);
float __prism_builtin_ldexpf(float, int);
double __prism_builtin_ldexp(double, int);
int __prism_builtin_ilogbf(float);
int __prism_builtin_ilogb(double);
float __prism_builtin_logbf(float);
double __prism_builtin_logb(double);
float __prism_builtin_modff(float, float*);
double __prism_builtin_modf(double, double*);
float __prism_builtin_nextafterf(float, float);
double __prism_builtin_nextafter(double, double);
float __prism_builtin_roundf(float);
double __prism_builtin_round(double);
float __prism_builtin_remquof(float, float, int*);
double __prism_builtin_remquo(double, double, int*);
float __prism_builtin_half_to_float(std::uint16_t);
std::uint16_t __prism_builtin_float_to_half(float);
_Complex float __prism_builtin___divsc3(float, float, float, float);
_Complex double __prism_builtin___muldc3(double, double, double, double);
}

namespace {

using builtins_test::edges;
using builtins_test::from_random_bits;

template <typename T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Three operands whose sum nearly cancels, is at a rounding boundary, or has any magnitude.
template <typename T>
void operands(std::mt19937_64& random, T& a, T& b, T& c) {
  a = from_random_bits<T>(random);
  b = from_random_bits<T>(random);
  c = from_random_bits<T>(random);
  std::uniform_real_distribution<double> inside(-2, 2);
  const int kind = int(random() % 4);
  if (kind >= 1) {
    a = static_cast<T>(inside(random));
    b = static_cast<T>(inside(random));
  }
  if (kind == 1) c = -a * b;
  if (kind == 2) c = static_cast<T>(inside(random)) * std::ldexp(T(1), int(random() % 120) - 60);
  if (kind == 3) {
    a = std::ldexp(a, std::numeric_limits<T>::min_exponent / 2);
    b = std::ldexp(b, std::numeric_limits<T>::min_exponent / 2 - int(random() % 30));
    c = std::ldexp(static_cast<T>(inside(random)), std::numeric_limits<T>::min_exponent - int(random() % 30));
  }
}

TEST(builtins, fma_of_floats_rounds_once_with_and_without_doubles) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000000; ++i) {
    float a, b, c;
    operands(random, a, b, c);
    const float expected = std::fma(a, b, c);
    ASSERT_TRUE(same(__prism_builtin_fmaf(a, b, c), expected)) << std::hexfloat << a << " " << b << " " << c;
    ASSERT_TRUE(same(__prism_builtin_fmaf_nofp64(a, b, c), expected))
        << std::hexfloat << a << " " << b << " " << c;
  }
}

TEST(builtins, fma_of_doubles_rounds_once) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000000; ++i) {
    double a, b, c;
    operands(random, a, b, c);
    ASSERT_TRUE(same(__prism_builtin_fma(a, b, c), std::fma(a, b, c)))
        << std::hexfloat << a << " " << b << " " << c;
  }
}

template <typename T, typename F, typename G>
void compare_unary(F ours, G theirs, const char* name) {
  std::mt19937_64 random(6);
  auto check = [&](T x) { EXPECT_TRUE(same<T>(ours(x), theirs(x))) << name << std::hexfloat << " " << x; };
  for (T x : edges<T>()) check(x);
  for (int i = 0; i < 20000; ++i) check(from_random_bits<T>(random));
  for (int i = -64; i < 64; ++i) check(T(i) / 4);
}

TEST(builtins, functions_on_the_representation_are_exact) {
  compare_unary<float>(__prism_builtin_roundf, [](float x) { return std::round(x); }, "roundf");
  compare_unary<double>(__prism_builtin_round, [](double x) { return std::round(x); }, "round");
  compare_unary<float>(__prism_builtin_logbf, [](float x) { return std::logb(x); }, "logbf");
  compare_unary<double>(__prism_builtin_logb, [](double x) { return std::logb(x); }, "logb");
  compare_unary<float>([](float x) { return float(__prism_builtin_ilogbf(x)); },
                       [](float x) { return float(std::ilogb(x)); }, "ilogbf");
  compare_unary<double>([](double x) { return double(__prism_builtin_ilogb(x)); },
                        [](double x) { return double(std::ilogb(x)); }, "ilogb");
  for (int part = 0; part < 2; ++part) {
    compare_unary<float>([=](float x) {
      int e;
      const float m = __prism_builtin_frexpf(x, &e);
      return part ? float(e) : m;
    }, [=](float x) {
      int e = 0;
      const float m = std::frexp(x, &e);
      return part ? float(std::isfinite(x) ? e : 0) : m;
    }, "frexpf");
    compare_unary<double>([=](double x) {
      int e;
      const double m = __prism_builtin_frexp(x, &e);
      return part ? double(e) : m;
    }, [=](double x) {
      int e = 0;
      const double m = std::frexp(x, &e);
      return part ? double(std::isfinite(x) ? e : 0) : m;
    }, "frexp");
    compare_unary<float>([=](float x) {
      float w;
      const float f = __prism_builtin_modff(x, &w);
      return part ? w : f;
    }, [=](float x) {
      float w;
      const float f = std::modf(x, &w);
      return part ? w : f;
    }, "modff");
    compare_unary<double>([=](double x) {
      double w;
      const double f = __prism_builtin_modf(x, &w);
      return part ? w : f;
    }, [=](double x) {
      double w;
      const double f = std::modf(x, &w);
      return part ? w : f;
    }, "modf");
  }
  for (int k : {0,   1,   -1,   10,   -10,   -24,   -30,  -126,  -149,   -150,   127,
                128, 300, -300, 1023, -1074, -1080, 2100, -2100, 100000, -100000}) {
    compare_unary<float>([=](float x) { return __prism_builtin_ldexpf(x, k); },
                         [=](float x) { return std::ldexp(x, k); }, "ldexpf");
    compare_unary<double>([=](double x) { return __prism_builtin_ldexp(x, k); },
                          [=](double x) { return std::ldexp(x, k); }, "ldexp");
  }
}

template <typename T, typename F, typename G>
void compare_binary(F ours, G theirs, const char* name) {
  std::mt19937_64 random(7);
  auto check = [&](T x, T y) {
    EXPECT_TRUE(same<T>(ours(x, y), theirs(x, y))) << name << std::hexfloat << " " << x << " " << y;
  };
  const auto special = edges<T>();
  for (T x : special)
    for (std::size_t j = 0; j < special.size(); j += 5) check(x, special[j]);
  for (int i = 0; i < 20000; ++i) check(from_random_bits<T>(random), from_random_bits<T>(random));
}

TEST(builtins, nextafter_and_remquo_are_exact) {
  compare_binary<float>(__prism_builtin_nextafterf, [](float x, float y) { return std::nextafter(x, y); },
                        "nextafterf");
  compare_binary<double>(__prism_builtin_nextafter, [](double x, double y) { return std::nextafter(x, y); },
                         "nextafter");
  const auto three_bits = [](int q) { return q < 0 ? -(-q & 7) : q & 7; };
  compare_binary<float>([=](float x, float y) {
    int q;
    const float r = __prism_builtin_remquof(x, y, &q);
    (void)three_bits;
    return r;
  }, [](float x, float y) {
    int q;
    return std::remquo(x, y, &q);
  }, "remquof");
  compare_binary<double>([=](double x, double y) {
    int q = 0;
    const double r = __prism_builtin_remquo(x, y, &q);
    return std::isnan(r) ? r : double(three_bits(q));
  }, [=](double x, double y) {
    int q = 0;
    const double r = std::remquo(x, y, &q);
    return std::isnan(r) ? r : double(three_bits(q));
  }, "remquo quotient");
}

TEST(builtins, half_conversions_agree_with_the_compiler) {
  for (unsigned i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    _Float16 h;
    std::memcpy(&h, &bits, 2);
    ASSERT_TRUE(same(__prism_builtin_half_to_float(bits), static_cast<float>(h)) || h != h) << i;
  }
  std::mt19937_64 random(8);
  for (int i = 0; i < 1000000; ++i) {
    const float x = i % 2 ? from_random_bits<float>(random)
                          : std::ldexp(float(int(random() % 100000)), -int(random() % 40));
    if (x != x) continue;
    const _Float16 h = static_cast<_Float16>(x);
    std::uint16_t bits;
    std::memcpy(&bits, &h, 2);
    ASSERT_EQ(__prism_builtin_float_to_half(x), bits) << std::hexfloat << x;
  }
}

TEST(builtins, complex_helpers_follow_annex_g) {
  const auto q = __prism_builtin___divsc3(1, 2, 3, 4);
  EXPECT_FLOAT_EQ(__real__ q, 0.44f);
  EXPECT_FLOAT_EQ(__imag__ q, 0.08f);
  const auto p = __prism_builtin___muldc3(INFINITY, NAN, 1, 1);
  EXPECT_TRUE(std::isinf(__real__ p) || std::isinf(__imag__ p));
  const auto huge = __prism_builtin___divsc3(1e38f, 1e38f, 1e38f, 1e38f);
  EXPECT_FLOAT_EQ(__real__ huge, 1.0f);
}

} // namespace
