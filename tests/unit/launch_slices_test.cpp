// The sizes of slices, as tables.
#include "runtime/launch/launch_slices.hpp"

#include <gtest/gtest.h>

namespace prism::runtime {
namespace {

devices::dispatch_command launch_of(devices::extent3 groups) {
  devices::dispatch_command out;
  out.groups = groups;
  make_part(out);
  return out;
}

TEST(launch_slices, divide_the_dimension_with_most_groups) {
  EXPECT_EQ(launch_of({100, 3, 1}).part.dimension, 0u);
  EXPECT_EQ(launch_of({8, 9, 2}).part.dimension, 1u);
  EXPECT_EQ(launch_of({4, 4, 4}).part.dimension, 2u);
  EXPECT_EQ(launch_of({4, 4, 4}).part.whole, 4u);
}

TEST(launch_slices, have_at_most_so_many_groups_but_at_least_one_layer) {
  const auto sizes_of = [](devices::extent3 groups, std::uint64_t limit) {
    std::vector<std::uint64_t> out;
    slice_sizes sizes({limit, 0}, launch_of(groups), 8);
    for (; sizes.next() != 0; sizes.took({})) out.push_back(sizes.next());
    return out;
  };
  EXPECT_EQ(sizes_of({10, 1, 1}, 4), (std::vector<std::uint64_t>{4, 4, 2}));
  EXPECT_EQ(sizes_of({3, 7, 1}, 9), (std::vector<std::uint64_t>{3, 3, 1}));
  EXPECT_EQ(sizes_of({3, 4, 1}, 2), (std::vector<std::uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(sizes_of({3, 0, 1}, 2), (std::vector<std::uint64_t>{}));
}

TEST(launch_slices, of_a_limit_of_time_grow_until_they_last_as_long) {
  slice_sizes sizes({0, 10}, launch_of({100'000, 1, 1}), 8);
  EXPECT_TRUE(sizes.measures());
  std::vector<std::uint64_t> seen;
  for (; sizes.next() != 0 && seen.size() < 8; sizes.took(std::chrono::microseconds(seen.back())))
    seen.push_back(sizes.next()); // a group takes one microsecond
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{8, 32, 128, 512, 2048, 8192, 9999, 9999}));
  slice_sizes slower({0, 10}, launch_of({100'000, 1, 1}), 8);
  slower.took(std::chrono::milliseconds(40));
  EXPECT_EQ(slower.next(), 1u);
}

TEST(launch_slices, begin_where_the_ones_before_end) {
  const devices::dispatch_command whole = launch_of({10, 1, 1});
  const devices::dispatch_command part = slice_of(slice_of(whole, 3, 6), 2, 4);
  EXPECT_EQ(part.part.first, 5u);
  EXPECT_EQ(part.groups, (devices::extent3{4, 1, 1}));
  EXPECT_EQ(group_counts_of(part), (devices::extent3{10, 1, 1}));
}

TEST(launch_slices, limits_are_work_groups_or_milliseconds) {
  EXPECT_EQ(support::parse_slice("4096")->groups, 4096u);
  EXPECT_EQ(support::parse_slice("20ms")->milliseconds, 20u);
  EXPECT_FALSE(support::parse_slice("off")->is_on());
  for (const char* wrong : {"", "0", "0ms", "ms", "20s", "-3", "3 "})
    EXPECT_FALSE(support::parse_slice(wrong)) << wrong;
}

} // namespace
} // namespace prism::runtime
