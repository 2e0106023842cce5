// marray, half, bit_cast.
#include <gtest/gtest.h>

#include <sycl/marray.hpp>

namespace {

using namespace sycl;

static_assert(sizeof(mfloat3) == 12 && alignof(mdouble3) == alignof(double) && mint4::size() == 4);
static_assert(std::is_same_v<decltype(mint2{} < mint2{}), marray<bool, 2>>);
static_assert(std::numeric_limits<half>::max() == 65504.0f &&
              std::numeric_limits<half>::epsilon() == 0x1p-10f);
static_assert(std::is_same_v<decltype(half{} + 1), half> && std::is_same_v<decltype(half{} + 1.0f), float>);

TEST(marray, operators_work_element_by_element) {
  mfloat3 a{1.0f, 2, 3.0};
  a = 2 * a + a;
  EXPECT_EQ(a[2], 9);
  const auto above = a > 5;
  EXPECT_TRUE(!above[0] && above[1] && (!above)[0]);
  marray<int, 5> i(7);
  i %= 4;
  i <<= 1;
  EXPECT_EQ((~-i)[4], 5);
  EXPECT_EQ((marray<float, 5>{a, 1.0f, 2})[4], 2);
  float sum = 0;
  for (float x : a) sum += x;
  EXPECT_EQ(sum, 18);
}

TEST(half, conversions_agree_with_the_compiler_for_all_halves) {
  for (unsigned i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const half h = sycl::bit_cast<half>(bits);
    const float f = h;
    if (f != f) continue;
    EXPECT_EQ(sycl::bit_cast<std::uint16_t>(half(f)), bits);
    EXPECT_EQ(sycl::bit_cast<std::uint16_t>(half(static_cast<double>(f))), bits);
  }
}

namespace of_a_program {
template <typename T>
T clamp(T value, T, T) {
  return value;
}
template <typename T>
T own_clamp_of(T value) {
  return clamp<T>(value, 0, 1);
}
} // namespace of_a_program

TEST(half, calls_of_a_program_do_not_find_the_functions_of_sycl) {
  EXPECT_EQ(float(of_a_program::own_clamp_of(half(3.0f))), 3.0f);
}

TEST(half, a_double_is_rounded_once) {
  // Just above the middle between two halves. Conversion through float would round to the middle first, and
  // then to even.
  EXPECT_EQ(half(1.0 + 0x1p-11 + 0x1p-40), half(1.0f + 0x1p-10f));
  EXPECT_EQ(half(-1.0 - 0x1p-11 + 0x1p-40), half(-1.0f));
  EXPECT_EQ(half(65519.999999999), half(65504.0f));
}

TEST(half, arithmetic_rounds_after_each_operation) {
  half h = 2048;
  h += 1;
  EXPECT_EQ(h, 2048);
  EXPECT_EQ(half(1) / 3, half(0.33325195f));
  EXPECT_TRUE(std::numeric_limits<half>::infinity() > 70000 && half(0.1) < 0.1f);
}

} // namespace
