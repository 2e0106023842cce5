// vec: layout, constructors, operators, swizzles, conversions.
#define SYCL_SIMPLE_SWIZZLES
#include <gtest/gtest.h>

#include <sycl/multi_ptr.hpp>
#include <sycl/vec.hpp>

#include <climits>

namespace {

using namespace sycl;

template <typename T, int N>
constexpr bool has_layout(std::size_t size, std::size_t alignment) {
  return sizeof(vec<T, N>) == size && alignof(vec<T, N>) == alignment &&
         std::is_trivially_copyable_v<vec<T, N>>;
}
static_assert(has_layout<float, 1>(4, 4) && has_layout<float, 2>(8, 8) && has_layout<float, 3>(16, 16));
static_assert(has_layout<float, 4>(16, 16) && has_layout<float, 8>(32, 32) && has_layout<float, 16>(64, 64));
static_assert(has_layout<double, 8>(64, 64) && has_layout<double, 16>(128, 64) && has_layout<char, 3>(4, 4));
static_assert(has_layout<half, 4>(8, 8) && has_layout<bool, 2>(2, 2) && has_layout<std::int64_t, 3>(32, 32));
static_assert(std::is_same_v<decltype(float4{} < float4{}), int4> &&
              std::is_same_v<decltype(!double2{}), long2>);
static_assert(std::is_same_v<decltype(vec{1, 2, 3}), int3>);
static_assert(!std::is_convertible_v<float, float4> && std::is_convertible_v<float, vec<float, 1>>);
static_assert(!std::is_copy_constructible_v<decltype(std::declval<float4&>().xy())>);

template <typename V>
void expect_elements(const V& v, std::initializer_list<double> expected) {
  int i = 0;
  for (double e : expected) {
    EXPECT_EQ(static_cast<double>(v[i]), e) << "element " << i;
    ++i;
  }
}

TEST(vec, is_made_of_scalars_vecs_and_swizzles) {
  const float2 a(1, 2);
  expect_elements(float4{a, 3.0, 4}, {1, 2, 3, 4});
  expect_elements(float4(a.yx(), a), {2, 1, 1, 2});
  expect_elements(float3(7.0f), {7, 7, 7});
  const vec<float, 1> one = a.y();
  EXPECT_EQ(one, 2.0f);
}

TEST(vec, operators_take_vecs_swizzles_and_scalars) {
  const float4 a{1, 2, 3, 4};
  expect_elements(a + a * 2, {3, 6, 9, 12});
  expect_elements(1 / float2(2), {0.5, 0.5});
  expect_elements(a.xy() + a.zw(), {4, 6});
  expect_elements(a == a.wzyx(), {0, 0, 0, 0});
  expect_elements(a >= 3.0f, {0, 0, -1, -1});
  int4 i{5, 6, 7, 8};
  i %= 3;
  i <<= 2;
  expect_elements(i, {8, 0, 4, 8});
  expect_elements(~i, {-9, -1, -5, -9});
  expect_elements(-i++, {-8, 0, -4, -8});
}

TEST(vec, assignment_through_a_swizzle_reads_its_right_side_first) {
  float4 v{1, 2, 3, 4};
  v.wzyx() = v;
  expect_elements(v, {4, 3, 2, 1});
  v.xy() = v.yx();
  expect_elements(v, {3, 4, 2, 1});
  v.hi().lo() = 9;
  expect_elements(v, {3, 4, 9, 1});
  v.odd() *= 2;
  ++v.x();
  v.swizzle<3, 2>() += v.lo();
  expect_elements(v, {4, 8, 17, 6});
}

TEST(vec, three_elements_swizzle_as_if_there_were_four) {
  const float3 v{1, 2, 3};
  EXPECT_EQ(v.lo().y(), 2.0f);
  EXPECT_EQ(v.hi().x(), 3.0f);
  EXPECT_EQ(v.even()[1], 3.0f);
  const float16 big(float8(1), float8(2));
  EXPECT_EQ(big.hi().s3(), 2.0f);
  EXPECT_EQ(big.odd()[3], 1.0f);
}

TEST(vec, a_single_element_behaves_as_a_scalar) {
  float4 v{1, 2, 3, 4};
  float f = v.x() * v.y() + 1;
  f += v.z();
  EXPECT_EQ(f, 6.0f);
  const double d = v.w() * 0.25;
  EXPECT_EQ(d, 1.0);
  EXPECT_TRUE(v.x() < v.y() && v.x() == 1);
}

TEST(vec, convert_uses_the_rounding_mode) {
  const float4 v{-1.5f, 2.5f, -0.5f, 3.5f};
  expect_elements(v.convert<int>(), {-1, 2, 0, 3});
  expect_elements((v.convert<int, rounding_mode::rte>()), {-2, 2, 0, 4});
  expect_elements((v.convert<int, rounding_mode::rtp>()), {-1, 3, 0, 4});
  expect_elements((v.convert<int, rounding_mode::rtn>()), {-2, 2, -1, 3});
  const int2 large{16777217, -16777217};
  expect_elements(large.convert<float>(), {16777216, -16777216});
  expect_elements((large.convert<float, rounding_mode::rtp>()), {16777218, -16777216});
  expect_elements((large.convert<float, rounding_mode::rtn>()), {16777216, -16777218});
  expect_elements((int2(INT_MAX).convert<float, rounding_mode::rtz>()), {2147483520.0, 2147483520.0});
  expect_elements((double2(65519.0).convert<half, rounding_mode::rtz>()), {65504, 65504});
  const vec<std::uint64_t, 2> most(~std::uint64_t{0});
  expect_elements((most.convert<double, rounding_mode::rtz>()), {0x1.fffffffffffffp63, 0x1.fffffffffffffp63});
}

TEST(vec, as_keeps_the_bits) {
  EXPECT_EQ(float4(1.0f).as<int4>()[2], 0x3f800000);
  EXPECT_EQ(int2(1).as<ushort4>()[0], 1);
}

template <typename T>
T& doubled(T& value) {
  return value += value;
}

TEST(vec, elements_by_name_are_the_elements) {
  static_assert(std::is_same_v<decltype(std::declval<float4&>().x()), float&>);
  static_assert(std::is_same_v<decltype(std::declval<const float4&>().s3()), const float&>);
  int4 v(1, 2, 3, 4);
  int& second = v.y();
  second = 20;
  EXPECT_EQ(doubled(v.w()), 8);
  EXPECT_EQ(&v.z(), &v[2]);
  v.x() += 4;
  v.zw().y() = 9; // of a swizzle: the element of the vec itself
  EXPECT_EQ(&v.zw().x(), &v[2]);
  EXPECT_EQ(std::max(v.x(), v.y()), 20);
  expect_elements(v, {5, 20, 3, 9});
  const int4& seen = v;
  EXPECT_EQ(&seen.x(), &v[0]);
  const vec<int, 1> one = v.y();
  EXPECT_EQ(one[0], 20);
  expect_elements(int4(v.x(), v.wzy()), {5, 9, 3, 20});
  expect_elements(v + v.x(), {10, 25, 8, 14});
}

TEST(vec, numbers_of_other_types_narrow_nothing_in_braces) {
  volatile int number = -5;
  const int n = number;
  const vec<float, 1> one{n};
  EXPECT_EQ(one[0], -5.0f);
  expect_elements(vec<float, 2>{n, n + 1}, {-5, -4});
  expect_elements(vec<float, 4>{n}, {-5, -5, -5, -5});
  expect_elements(vec<half, 2>{n}, {-5, -5});
  static_assert(std::is_convertible_v<int, vec<float, 1>> && !std::is_convertible_v<int, vec<float, 2>>);
}

TEST(vec, load_and_store_count_whole_vectors) {
  float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  float2 v;
  v.load(3, data);
  expect_elements(v, {6, 7});
  const auto pointer = address_space_cast<access::address_space::global_space, access::decorated::no>(data);
  v.store(0, pointer);
  EXPECT_EQ(data[0], 6);
  float3 w;
  w.load(1, multi_ptr<const float, access::address_space::global_space, access::decorated::no>(pointer));
  expect_elements(w, {3, 4, 5});
}

} // namespace
