// bfloat16 in host code, against values that are exact in double: every operation is rounded once, to nearest
// and ties to even. sycl_group_memory shows that kernels compute the same.
#include "tests/sycl/common.hpp"

#include <cmath>
#include <random>

namespace {

using sycl::ext::oneapi::bfloat16;

std::uint16_t bits_of(bfloat16 value) { return sycl::bit_cast<std::uint16_t>(value); }
bfloat16 from_bits(std::uint16_t bits) { return sycl::bit_cast<bfloat16>(bits); }

/// The nearest bfloat16, by arithmetic of doubles: a bfloat16 is a multiple of 2^(exponent - 7).
float rounded(double exact) {
  if (exact == 0 || std::isnan(exact) || std::isinf(exact)) return float(exact);
  const int exponent = std::max(std::ilogb(exact), -126);
  const double unit = std::ldexp(1.0, exponent - 7);
  const double nearest = std::nearbyint(exact / unit) * unit; // the default mode: ties to even
  return std::fabs(nearest) > double(std::numeric_limits<bfloat16>::max())
             ? std::copysign(INFINITY, float(exact))
             : float(nearest);
}
/// Exact sums of three such numbers and a product have less than 53 bits.
std::vector<bfloat16> near_one(std::size_t count) {
  std::mt19937 random(7);
  std::vector<bfloat16> all;
  while (all.size() < count) {
    const unsigned bits = random();
    all.push_back(from_bits(std::uint16_t((bits & 0x807fu) | (117 + (bits >> 16) % 20) << 7)));
  }
  return all;
}

TEST(bfloat16_on_the_host, converts_every_value_exactly_and_others_to_the_nearest) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const bfloat16 value = from_bits(std::uint16_t(bits));
    const float wide = value;
    ASSERT_EQ(sycl::isnan(value), std::isnan(wide)) << bits;
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(float(bfloat16(wide)))) << bits;
      continue;
    }
    ASSERT_EQ(bits_of(bfloat16(wide)), bits) << "there and back";
    ASSERT_EQ(bits_of(bfloat16(double(wide))), bits);
    ASSERT_EQ(bits_of(-value), bits ^ 0x8000u);
    ASSERT_EQ(bits_of(+value), bits);
    ASSERT_EQ(bool(value), wide != 0);
    if (std::fabs(wide) <= 65504) {
      ASSERT_EQ(float(sycl::half(value)), float(sycl::half(wide))) << bits;
    }
  }
  for (const double exact : {1.00390625, 1.01171875, 1.003906251, 1e-40, 9.2e-41, 3.3999e38, 3.4e38, -1e39}) {
    EXPECT_EQ(float(bfloat16(exact)), rounded(exact)) << exact;
    EXPECT_EQ(float(bfloat16(float(exact))), rounded(double(float(exact)))) << exact;
  }
  EXPECT_EQ(float(bfloat16(257)), 256.f);
  EXPECT_EQ(float(bfloat16(259L)), 260.f);
  EXPECT_EQ(float(bfloat16(sycl::half(0.1f))), rounded(double(float(sycl::half(0.1f)))));
}

TEST(bfloat16_on_the_host, rounds_each_operation_once) {
  const std::vector<bfloat16> values = near_one(3000);
  for (std::size_t i = 0; i + 2 < values.size(); ++i) {
    const bfloat16 a = values[i], b = values[i + 1], c = values[i + 2];
    const double x = float(a), y = float(b), z = float(c);
    ASSERT_EQ(float(a + b), rounded(x + y)) << x << " " << y;
    ASSERT_EQ(float(a - b), rounded(x - y)) << x << " " << y;
    ASSERT_EQ(float(a * b), rounded(x * y)) << x << " " << y;
    ASSERT_EQ(float(a / b), rounded(double(float(x) / float(y))))
        << x << " " << y; // float's quotient, as specified
    ASSERT_EQ(float(sycl::ext::oneapi::fma(a, b, c)), rounded(x * y + z)) << x << " " << y << " " << z;
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a <= b, x <= y);
    ASSERT_EQ(a > 1.0f, x > 1);
    ASSERT_EQ(2 >= b, 2 >= y);
    ASSERT_EQ(a == b, x == y);
    ASSERT_EQ(a != b, x != y);
    ASSERT_EQ(float(sycl::ext::oneapi::fmin(a, b)), float(std::fmin(x, y)));
    ASSERT_EQ(float(sycl::ext::oneapi::fmax(a, b)), float(std::fmax(x, y)));
    ASSERT_EQ(float(sycl::ext::oneapi::fabs(a)), float(std::fabs(x)));
    ASSERT_EQ(float(sycl::ext::oneapi::floor(a)), float(std::floor(x)));
    ASSERT_EQ(float(sycl::ext::oneapi::ceil(a)), float(std::ceil(x)));
    ASSERT_EQ(float(sycl::ext::oneapi::trunc(a)), float(std::trunc(x)));
    ASSERT_EQ(float(sycl::ext::oneapi::rint(a)), float(std::nearbyint(x)));
  }
}

TEST(bfloat16_on_the_host, adds_a_product_of_very_different_size_rounded_once) {
  using sycl::ext::oneapi::fma;
  const bfloat16 tie = from_bits(0x3f80), step = 0.00390625f; // 1 + 2^-8 is half way to the next number
  EXPECT_EQ(bits_of(fma(step, bfloat16(1), tie)), 0x3f80);
  for (const int far : {-60, -100, -120}) {
    const bfloat16 little = std::ldexp(1.0f, far);
    // the product is half way between two numbers: what is added decides, however small it is
    const bfloat16 odd = from_bits(0x3f81), half_more = from_bits(0x3fc0); // 1.0078125 * 1.5 = 1.51171875
    const double exact = double(float(odd)) * double(float(half_more));
    const float below = rounded(std::nextafter(exact, 0.0)), above = rounded(std::nextafter(exact, 2.0));
    ASSERT_NE(below, above) << "not half way";
    EXPECT_EQ(float(fma(odd, half_more, little)), above) << far;
    EXPECT_EQ(float(fma(odd, half_more, -little)), below) << far;
  }
  const bfloat16 infinite = INFINITY, zero = 0.0f;
  EXPECT_EQ(float(fma(infinite, bfloat16(2), bfloat16(1))), INFINITY);
  EXPECT_TRUE(sycl::isnan(fma(infinite, zero, bfloat16(1))));
  EXPECT_EQ(float(fma(std::numeric_limits<bfloat16>::max(), bfloat16(2), bfloat16(1))), INFINITY);
  EXPECT_EQ(bits_of(fma(from_bits(1), bfloat16(0.5f), zero)), 0u)
      << "half of the smallest number, tie to even";
  EXPECT_EQ(bits_of(fma(from_bits(3), bfloat16(0.5f), zero)), 2u);
}

TEST(bfloat16_on_the_host, counts_assigns_and_works_by_elements) {
  bfloat16 a = 3.0f;
  EXPECT_EQ(float(a++), 3.f);
  EXPECT_EQ(float(++a), 5.f);
  EXPECT_EQ(float(a--), 5.f);
  EXPECT_EQ(float(--a), 3.f);
  a += 2;
  a *= bfloat16(3);
  a -= 1.0;
  a /= 2.0f;
  EXPECT_EQ(float(a), 7.f);
  a = sycl::half(0.5f);
  EXPECT_EQ(float(a), 0.5f);
  a = 4.0f;
  EXPECT_EQ(float(a), 4.f);
  const sycl::marray<bfloat16, 3> many{bfloat16(1), bfloat16(-2.5f), bfloat16(NAN)};
  const auto sizes = sycl::ext::oneapi::fabs(many), sums = sycl::ext::oneapi::fma(many, many, many);
  const auto largest = sycl::ext::oneapi::fmax(many, sizes);
  EXPECT_EQ(float(sizes[1]), 2.5f);
  EXPECT_EQ(float(sums[1]), 3.75f);
  EXPECT_EQ(float(largest[1]), 2.5f);
  EXPECT_TRUE(sycl::ext::oneapi::isnan(many)[2]);
  EXPECT_FALSE(sycl::ext::oneapi::isnan(many)[1]);
  using limits = std::numeric_limits<bfloat16>;
  EXPECT_EQ(float(limits::epsilon()), std::ldexp(1.0f, -7));
  EXPECT_EQ(float(limits::min()), std::ldexp(1.0f, -126));
  EXPECT_EQ(float(limits::denorm_min()), std::ldexp(1.0f, -133));
  EXPECT_EQ(float(limits::max()), -float(limits::lowest()));
}

} // namespace
