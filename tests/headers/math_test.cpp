// SYCL built-in functions: shapes, special values, a few known results. tests/sycl/accuracy_test.cpp tests
// their accuracy.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the pointers of SYCL 1.2.1 are tested as well
#include <gtest/gtest.h>

#include <sycl/math.hpp>

#include <climits>
#include <cmath>
#include <cstdint>

namespace {

using sycl::float2;
using sycl::float3;
using sycl::float4;
using sycl::half;
using sycl::int4;
using sycl::mfloat3;

static_assert(std::is_same_v<decltype(sycl::sqrt(float4())), float4>);
static_assert(std::is_same_v<decltype(sycl::any(int4())), int> &&
              std::is_same_v<decltype(sycl::all(sycl::marray<bool, 3>())), bool>);
static_assert(std::is_same_v<decltype(sycl::sin(std::declval<float4&>().lo())), float2>);
static_assert(std::is_same_v<decltype(sycl::ilogb(float4())), int4>);
static_assert(std::is_same_v<decltype(sycl::isless(float4(), float4())), int4>);
static_assert(std::is_same_v<decltype(sycl::isnan(mfloat3())), sycl::mbool3>);
static_assert(std::is_same_v<decltype(sycl::upsample(sycl::short4(), sycl::ushort4())), int4>);

TEST(math, functions_map_over_all_shapes) {
  EXPECT_EQ(sycl::sqrt(float4{1, 4, 9, 16})[3], 4);
  EXPECT_EQ(sycl::fmax(float2{1, 2}, 1.5f)[0], 1.5f);
  EXPECT_EQ(sycl::exp(mfloat3(0.0f))[2], 1);
  EXPECT_EQ(sycl::pow(2.0, 3.0), 8);
  EXPECT_EQ(sycl::ldexp(float4(1), 3)[0], 8);
  EXPECT_EQ(sycl::exp(half(0.0f)), 1);
  const float4 v{1, 2, 3, 4};
  EXPECT_EQ(sycl::clamp(v.swizzle<3, 0>(), 2.0f, 3.0f)[0], 3);
}

TEST(math, results_through_pointers_reach_any_pointer) {
  int4 exponents;
  EXPECT_EQ(sycl::frexp(float4(8), &exponents)[2], 0.5f);
  EXPECT_EQ(exponents[3], 4);
  float whole;
  EXPECT_EQ(sycl::modf(2.5f, sycl::private_ptr<float>(&whole)), 0.5f);
  EXPECT_EQ(whole, 2);
  EXPECT_EQ(sycl::fract(-0.25f, &whole), 0.75f);
  EXPECT_LT(sycl::fract(-1e-30f, &whole), 1.0f);
  int quotient;
  EXPECT_EQ(sycl::remquo(7.0, 3.0, &quotient), 1);
  EXPECT_EQ(quotient, 2);
  int sign;
  sycl::lgamma_r(-0.5f, &sign);
  EXPECT_EQ(sign, -1);
}

TEST(math, functions_of_half_turns_are_exact_at_quarters) {
  EXPECT_EQ(sycl::sinpi(0.5f), 1);
  EXPECT_EQ(sycl::sinpi(1e10f), 0);
  EXPECT_EQ(sycl::cospi(1.0), -1);
  EXPECT_EQ(sycl::cospi(0.5), 0);
  EXPECT_EQ(sycl::cospi(16777215.0f), -1);
  EXPECT_EQ(sycl::tanpi(0.5f), INFINITY);
  EXPECT_TRUE(std::signbit(sycl::sinpi(-0.0f)) && std::isnan(sycl::sinpi(INFINITY)));
  for (int i = 1; i < 1000; ++i) {
    const float x = float(i) * 0.037f;
    EXPECT_NEAR(sycl::sinpi(x), std::sin(M_PI * double(x)), 4e-7);
    EXPECT_NEAR(sycl::cospi(double(x)), std::cos(M_PI * double(x)), 4e-14);
  }
}

TEST(math, powers_and_roots_of_integers_keep_signs) {
  EXPECT_EQ(sycl::rootn(32.0f, 5), 2);
  EXPECT_DOUBLE_EQ(sycl::rootn(-27.0, 3), -3);
  EXPECT_TRUE(std::isnan(sycl::rootn(-4.0f, 2)) && std::isnan(sycl::powr(0.0f, 0.0f)) &&
              std::isnan(sycl::powr(-1.0f, 2.0f)));
  EXPECT_EQ(sycl::pown(2.0f, -3), 0.125f);
  EXPECT_EQ(sycl::pown(-1.0f, 16777217), -1);
  EXPECT_EQ(sycl::pown(-1.0f, INT_MIN), 1);
  for (int n : {-300, -57, -5, 4, 5, 7, 44, 300}) {
    for (double x : {1e-300, 3e-5, 0.7, 42.0, 1e300}) {
      const long double exact = std::pow(static_cast<long double>(x), 1.0L / n);
      EXPECT_LE(std::fabs(static_cast<double>((sycl::rootn(x, n) - exact) / exact)), 4e-16) << x << " " << n;
    }
  }
}

TEST(math, fma_of_halves_rounds_once) {
  EXPECT_EQ(sycl::fma(half(2.0f), half(3.0f), half(1.0f)), 7);
  // (1 + 2^-10)^2 is 1 + 2^-9 + 2^-20. After adding 2^-11 it is less than half a unit above the middle.
  EXPECT_EQ(sycl::fma(half(1 + 0x1p-10f), half(1 + 0x1p-10f), half(0x1p-11f)), half(1 + 0x1p-9f + 0x1p-10f));
  EXPECT_EQ(sycl::nextafter(half(0.0f), half(1.0f)), std::numeric_limits<half>::denorm_min());
}

TEST(math, integer_functions_do_not_overflow) {
  EXPECT_EQ(sycl::abs(-3), 3);
  EXPECT_EQ(sycl::abs_diff(INT_MIN, INT_MAX), UINT_MAX);
  EXPECT_EQ(sycl::add_sat(std::int8_t(100), std::int8_t(100)), 127);
  EXPECT_EQ(sycl::sub_sat(3u, 5u), 0u);
  EXPECT_EQ(sycl::hadd(INT_MAX, INT_MAX), INT_MAX);
  EXPECT_EQ(sycl::rhadd(-7, -8), -7);
  EXPECT_EQ(sycl::mul_hi(~0ull, ~0ull), ~0ull - 1);
  EXPECT_EQ(sycl::mul_hi(-1ll, 1ll), -1);
  EXPECT_EQ(sycl::mad_sat(1ll << 62, 4ll, 0ll), INT64_MAX);
  EXPECT_EQ(sycl::mad_sat(-(1ll << 62), 4ll, -5ll), INT64_MIN);
  EXPECT_EQ(sycl::mad_sat(5ll, 6ll, -7ll), 23);
  EXPECT_EQ(sycl::rotate(0x80000001u, 33u), 3u);
  EXPECT_EQ(sycl::clz(std::uint8_t(1)), 7);
  EXPECT_EQ(sycl::clz(0), 32);
  EXPECT_EQ(sycl::ctz(std::int16_t(0)), 16);
  EXPECT_EQ(sycl::popcount(-1ll), 64);
  EXPECT_EQ(sycl::upsample(std::int16_t(-1), std::uint16_t(1)), -65535);
}

TEST(math, common_and_geometric_functions) {
  EXPECT_EQ(sycl::min(int4(3), 2)[0], 2);
  EXPECT_EQ(sycl::mix(0.0f, 2.0f, 0.5f), 1);
  EXPECT_EQ(sycl::smoothstep(0.0f, 1.0f, 2.0f), 1);
  EXPECT_EQ(sycl::sign(float2{-3, NAN})[1], 0);
  EXPECT_EQ(sycl::dot(float3{1, 2, 3}, float3{1, 1, 1}), 6);
  EXPECT_EQ(sycl::length(float2{3e30f, 4e30f}), 5e30f);
  EXPECT_NEAR(sycl::length(float2{3e-40f, 4e-40f}), 5e-40f, 1e-44);
  EXPECT_EQ(sycl::distance(float2(), float2{3, 4}), 5);
  EXPECT_FLOAT_EQ(sycl::normalize(float2{0x1.8p-140f, 0x1p-139f})[1], 0.8f);
  EXPECT_EQ(sycl::cross(float4{1, 0, 0, 5}, float4{0, 1, 0, 5})[3], 0);
  EXPECT_EQ(sycl::cross(float3{1, 0, 0}, float3{0, 1, 0})[2], 1);
}

TEST(math, predicates_have_the_shape_of_their_operands) {
  const int4 less = sycl::isless(float4(1), float4{0, 1, 2, NAN});
  EXPECT_TRUE(less[0] == 0 && less[2] == -1 && less[3] == 0);
  EXPECT_TRUE(sycl::any(less) && !sycl::all(less));
  EXPECT_EQ(sycl::select(float4(1), float4(2), less)[2], 2);
  EXPECT_EQ(sycl::select(1, 2, true), 2);
  EXPECT_EQ(sycl::bitselect(0, -1, 5), 5);
  EXPECT_TRUE(sycl::isnormal(1.0) && !sycl::isnormal(1e-310) && sycl::signbit(-0.0f) &&
              sycl::isfinite(half(1)));
  EXPECT_TRUE(sycl::all(sycl::isgreater(mfloat3(1.0f), mfloat3(0.0f))));
}

TEST(scalars, may_be_called_with_the_types_of_all_arguments_named) {
  EXPECT_EQ((sycl::clamp<float, float, float>(5.0f, 0.0f, 1.0f)), 1.0f);
  EXPECT_EQ((sycl::max<int, int>(3, 4)), 4);
  EXPECT_EQ((sycl::abs_diff<short, short>(3, -4)), 7);
  EXPECT_EQ((sycl::mad24<int, int, int>(3, 4, 5)), 17);
  EXPECT_EQ((sycl::dot<double, double>(3.0, 4.0)), 12.0);
  float whole = 0;
  EXPECT_EQ(sycl::fract<float*>(2.25f, &whole), 0.25f);
  EXPECT_EQ(whole, 2.0f);
}

struct converts_to_float {
  operator float() const { return 2.0f; }
};

TEST(relations, accept_arguments_convertible_to_floating_types) {
  EXPECT_TRUE(sycl::isequal(converts_to_float(), converts_to_float()));
}

TEST(cbrt, is_exact_to_the_last_digit_over_the_whole_range) {
  for (const double size : {0x1p-1074, 0x1.8p-1060, 0x1p-1022, 0x1.999p-701, 0x1.999p-699, 1.0, 3.0,
                            0x1.8d75fd27247e2p-197, 0x1.fffffp1023}) {
    for (const double x : {size, -size}) {
      const double exact = static_cast<double>(cbrtl(static_cast<long double>(x)));
      EXPECT_LE(std::fabs(sycl::cbrt(x) - exact), std::fabs(std::nextafter(exact, 2 * exact) - exact)) << x;
    }
  }
  EXPECT_EQ(sycl::cbrt(0x1p-1074 * 512), 8 * sycl::cbrt(0x1p-1074));
  EXPECT_TRUE(std::isinf(sycl::cbrt(INFINITY)) && std::isnan(sycl::cbrt(NAN)) &&
              std::signbit(sycl::cbrt(-0.0)));
}

} // namespace
