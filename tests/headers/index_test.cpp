// range, id, item, nd_range, group, nd_item.
#include <gtest/gtest.h>

#include <sycl/nd_item.hpp>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // offsets are deprecated and there

namespace {

static_assert(std::is_trivially_copyable_v<sycl::id<3>> && std::is_trivially_copyable_v<sycl::item<2, true>>);
static_assert(std::is_trivially_copyable_v<sycl::nd_item<3>> &&
              !std::is_default_constructible_v<sycl::nd_item<3>>);
static_assert(!std::is_default_constructible_v<sycl::item<1>> &&
              !std::is_default_constructible_v<sycl::group<2>>);
static_assert(sizeof(sycl::item<1, false>) == 2 * sizeof(std::size_t));

TEST(index, a_one_dimensional_id_mixes_with_numbers) {
  const sycl::id<1> i(5);
  const float data[] = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(data[i], 5.0f);
  EXPECT_EQ(data[i + 2], 7.0f);
  EXPECT_EQ(i * 0.5f, 2.5f);
  EXPECT_TRUE(i == 5 && 5u == i && i != 4 && i < 6);
  sycl::id<1> k = 3;
  k += 2;
  EXPECT_EQ(k, i);
}

TEST(index, operators_work_element_by_element) {
  const sycl::id<3> a(1, 2, 3), b(3, 2, 1);
  EXPECT_EQ(a + b, sycl::id<3>(4, 4, 4));
  EXPECT_EQ(2 * a - 1, sycl::id<3>(1, 3, 5));
  EXPECT_EQ(a < b, sycl::id<3>(1, 0, 0));
  sycl::range r{4, 6};
  r /= 2;
  EXPECT_EQ(r, sycl::range<2>(2, 3));
  EXPECT_EQ(r.size(), 6u);
  EXPECT_EQ(r++, sycl::range<2>(2, 3));
  EXPECT_EQ(sycl::id<2>(1, 1) + r, sycl::id<2>(4, 5));
}

TEST(index, the_right_most_dimension_varies_fastest) {
  const auto place = sycl::detail::make_item<3, false>({4, 5, 6}, {1, 2, 3});
  EXPECT_EQ(place.get_linear_id(), 1u * 30 + 2 * 6 + 3);
  const auto moved = sycl::detail::make_item<2, true>({4, 5}, {3, 4}, {2, 2});
  EXPECT_EQ(moved.get_linear_id(), 1u * 5 + 2);
  EXPECT_EQ(moved.get_offset(), sycl::id<2>(2, 2));
  const sycl::item<3, true> with_offset = place;
  EXPECT_EQ(with_offset.get_id(), place.get_id());
}

TEST(index, an_item_of_one_dimension_is_a_number) {
  const auto place = sycl::detail::make_item<1, true>({8}, {6});
  const int data[] = {0, 10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(data[place], 60);
  const sycl::id<1> i = place;
  EXPECT_EQ(i, 6);
}

TEST(index, an_nd_range_counts_its_groups) {
  const sycl::nd_range<2> launch({8, 12}, {4, 3});
  EXPECT_EQ(launch.get_group_range(), sycl::range<2>(2, 4));
  EXPECT_EQ(sycl::nd_range<1>({5}, {0}).get_group_range(), sycl::range<1>(0));
}

TEST(index, outside_a_kernel_there_is_one_work_item) {
  const auto self = sycl::detail::make_nd_item<2>();
  EXPECT_EQ(self.get_global_range().size(), 1u);
  EXPECT_EQ(self.get_global_linear_id(), 0u);
  EXPECT_TRUE(self.get_group().leader());
  EXPECT_EQ(self, sycl::detail::make_nd_item<2>());
}

} // namespace
