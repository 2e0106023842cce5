#include "runtime/launch/local_size.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

using namespace prism;
using prism::devices::extent3;
using prism::runtime::choose_local_size;
using prism::runtime::fit_group;
using prism::runtime::local_size_limits;

namespace {

const local_size_limits pocl{4096, {4096, 4096, 4096}, 8, {0, 0, 0}, false};

TEST(local_size, of_long_lines_is_256) {
  EXPECT_EQ(choose_local_size({1 << 20, 1, 1}, pocl), (extent3{256, 1, 1}));
  EXPECT_EQ(choose_local_size({1'000'003, 1, 1}, pocl), (extent3{256, 1, 1}));
}

TEST(local_size, of_small_ranges_is_one_vector) {
  EXPECT_EQ(choose_local_size({1, 1, 1}, {256, {256, 256, 256}, 1, {0, 0, 0}, false}), (extent3{8, 1, 1}));
  EXPECT_EQ(choose_local_size({1, 1, 1}, {4, {4, 4, 4}, 1, {0, 0, 0}, false}), (extent3{4, 1, 1}));
  for (const std::uint64_t n : {5, 40, 100, 255})
    EXPECT_EQ(choose_local_size({n, 1, 1}, pocl), (extent3{8, 1, 1})) << n;
  EXPECT_EQ(choose_local_size({2049, 1, 1}, pocl), (extent3{256, 1, 1}));
  EXPECT_EQ(choose_local_size({64, 32, 1}, pocl), (extent3{8, 1, 1}));
  EXPECT_EQ(choose_local_size({16, 8, 16}, pocl), (extent3{8, 1, 1}));
  local_size_limits gpu{1024, {1024, 1024, 64}, 32, {0, 0, 0}, false};
  gpu.units = 40;
  EXPECT_EQ(choose_local_size({8192, 1, 1}, gpu), (extent3{32, 1, 1}));
}

TEST(local_size, of_short_lines_is_several_vectors_where_each_compute_unit_has_some_groups) {
  for (const std::uint64_t n : {256, 300, 1000, 2048})
    EXPECT_EQ(choose_local_size({n, 1, 1}, pocl), (extent3{64, 1, 1})) << n;
  local_size_limits eight = pocl;
  eight.units = 8;
  EXPECT_EQ(choose_local_size({2048, 1, 1}, eight), (extent3{64, 1, 1}));
  EXPECT_EQ(choose_local_size({2047, 1, 1}, eight), (extent3{8, 1, 1}));
}

TEST(local_size, of_rows_joins_rows_only_where_groups_are_many) {
  EXPECT_EQ(choose_local_size({1024, 1024, 1}, pocl), (extent3{64, 4, 1}));
  EXPECT_EQ(choose_local_size({16, 16, 16}, pocl), (extent3{16, 1, 1}));
  EXPECT_EQ(choose_local_size({16, 1000, 1}, pocl), (extent3{16, 8, 1}));
  EXPECT_EQ(choose_local_size({16, 1001, 1}, pocl), (extent3{16, 1, 1})); // no such number of rows divides it
  EXPECT_EQ(choose_local_size({5, 7, 8000}, pocl), (extent3{8, 1, 16}));
  EXPECT_EQ(choose_local_size({72, 1000, 1}, pocl), (extent3{16, 8, 1}));
}

// Drivers compile a kernel again for each size of its groups.
TEST(local_size, differs_little_between_many_shapes) {
  std::set<std::array<std::uint64_t, 3>> of_lines, of_matrices;
  for (std::uint64_t n = 1; n <= 5000; ++n) {
    const extent3 local = choose_local_size({n, 1, 1}, pocl);
    of_lines.insert({local[0], local[1], local[2]});
  }
  for (std::uint64_t n = 1; n <= 64; ++n)
    for (std::uint64_t m = 1; m <= 64; ++m) {
      const extent3 local = choose_local_size({n, m, 1}, pocl);
      of_matrices.insert({local[0], local[1], local[2]});
    }
  EXPECT_EQ(of_lines.size(), 3u);
  EXPECT_LE(of_matrices.size(), 7u);
}

TEST(local_size, of_long_lines_is_the_devices_fastest_size) {
  devices::capabilities device;
  device.max_group_size = 4096;
  device.max_local_size = {4096, 4096, 4096};
  device.compute_units = 2;
  const devices::kernel_limits image{4096, 8, 0, 0};
  EXPECT_EQ(choose_local_size({1 << 22, 1, 1}, runtime::limits_of(device, &image, nullptr)),
            (extent3{256, 1, 1}));
  device.long_range_group = 1024;
  const local_size_limits l = runtime::limits_of(device, &image, nullptr);
  EXPECT_EQ(choose_local_size({1 << 22, 1, 1}, l), (extent3{1024, 1, 1}));
  EXPECT_EQ(choose_local_size({131'073, 1, 1}, l), (extent3{1024, 1, 1}));
  EXPECT_EQ(choose_local_size({131'071, 1, 1}, l), (extent3{256, 1, 1})); // each compute unit has few of them
  EXPECT_EQ(choose_local_size({1 << 22, 2, 1}, l), (extent3{64, 2, 1}));
  image::kernel_record record{};
  record.flags = image::uses_group_operation;
  EXPECT_EQ(choose_local_size({3 * 131'072, 1, 1}, runtime::limits_of(device, &image, &record)),
            (extent3{256, 1, 1}));
  const devices::kernel_limits small{500, 8, 0, 0};
  EXPECT_EQ(choose_local_size({1 << 22, 1, 1}, runtime::limits_of(device, &small, nullptr)),
            (extent3{496, 1, 1}));
}

TEST(local_size, is_the_size_that_the_kernel_requires) {
  local_size_limits l = pocl;
  l.required = {16, 2, 1};
  EXPECT_EQ(choose_local_size({100, 7, 1}, l), (extent3{16, 2, 1}));
}

TEST(local_size, merges_small_groups_that_a_kernel_cannot_distinguish) {
  const auto joined = [](extent3 global, extent3 local, local_size_limits limits = pocl) {
    return runtime::regroup(global, local, limits);
  };
  EXPECT_EQ(joined({1 << 20, 1, 1}, {32, 1, 1}), (extent3{256, 1, 1}));
  EXPECT_EQ(joined({1 << 20, 1, 1}, {1, 1, 1}), (extent3{256, 1, 1}));
  EXPECT_EQ(joined({96, 1, 1}, {32, 1, 1}), (extent3{96, 1, 1}));
  EXPECT_EQ(joined({32 * 11, 1, 1}, {32, 1, 1}),
            (extent3{32, 1, 1})); // 11 groups exceed the limit, and no smaller number divides 11
  EXPECT_EQ(joined({1024, 1024, 1}, {8, 8, 1}), (extent3{32, 8, 1}));
  EXPECT_EQ(joined({1 << 20, 1, 1}, {512, 1, 1}), (extent3{512, 1, 1})); // already large enough
  local_size_limits small = pocl, required = pocl;
  small.max_items = 100;
  required.required = {32, 1, 1};
  EXPECT_EQ(joined({1 << 20, 1, 1}, {32, 1, 1}, small), (extent3{64, 1, 1}));
  EXPECT_EQ(joined({1 << 20, 1, 1}, {32, 1, 1}, required), (extent3{32, 1, 1}));
}

TEST(local_size, of_merged_groups_is_one_of_few_where_a_driver_compiles_for_each) {
  local_size_limits compiled = pocl;
  compiled.compiles_for_sizes = true;
  const auto joined = [&](extent3 global, extent3 local) {
    return runtime::regroup(global, local, compiled);
  };
  std::set<std::uint64_t> sizes;
  for (std::uint64_t groups = 1; groups <= 2'000; ++groups) {
    const std::uint64_t row = joined({3 * groups, 1, 1}, {3, 1, 1})[0];
    EXPECT_EQ(3 * groups % row, 0u);
    if (groups <= 256) EXPECT_EQ(row, 3u);
    sizes.insert(row);
  }
  EXPECT_LE(sizes.size(), 7u); // 3 to 192
  EXPECT_EQ(joined({1 << 20, 1, 1}, {32, 1, 1}), (extent3{256, 1, 1}));
  EXPECT_EQ(joined({1 << 20, 1, 1}, {1, 1, 1}), (extent3{256, 1, 1}));
  EXPECT_EQ(joined({96, 1, 1}, {32, 1, 1}), (extent3{32, 1, 1}));
  EXPECT_EQ(joined({1024, 1024, 1}, {8, 8, 1}), (extent3{32, 8, 1}));
}

TEST(local_size, divides_groups_that_are_too_few_for_all_compute_units) {
  local_size_limits two = pocl;
  two.units = 2;
  const auto divided = [&](extent3 global, extent3 local) { return runtime::regroup(global, local, two); };
  EXPECT_EQ(divided({1024, 1, 1}, {256, 1, 1}), (extent3{64, 1, 1}));
  EXPECT_EQ(divided({1024, 1, 1}, {1024, 1, 1}), (extent3{64, 1, 1}));
  EXPECT_EQ(divided({1024, 1, 1}, {32, 1, 1}), (extent3{64, 1, 1})); // merged, but not to four groups
  EXPECT_EQ(divided({64, 1, 1}, {64, 1, 1}), (extent3{32, 1, 1}));   // each keeps some vectors
  EXPECT_EQ(divided({8, 1, 1}, {1, 1, 1}), (extent3{1, 1, 1}));      // eight items for both units
  EXPECT_EQ(divided({64, 1, 1}, {1, 1, 1}), (extent3{4, 1, 1}));
  EXPECT_EQ(divided({8, 8, 1}, {2, 1, 1}), (extent3{4, 1, 1}));
  EXPECT_EQ(divided({32, 1, 1}, {32, 1, 1}), (extent3{32, 1, 1}));
  EXPECT_EQ(divided({64, 16, 1}, {64, 4, 1}), (extent3{16, 4, 1}));
  EXPECT_EQ(divided({500, 1, 1}, {250, 1, 1}), (extent3{250, 1, 1})); // no multiple of 8 divides 250
  EXPECT_EQ(divided({1 << 20, 1, 1}, {512, 1, 1}), (extent3{512, 1, 1}));
  two.long_items = 1024; // the size that the device runs fastest
  EXPECT_EQ(divided({1 << 20, 1, 1}, {32, 1, 1}), (extent3{1024, 1, 1}));
  EXPECT_EQ(divided({8192, 1, 1}, {256, 1, 1}), (extent3{512, 1, 1}));
  two.required = {256, 1, 1};
  EXPECT_EQ(divided({1024, 1, 1}, {256, 1, 1}), (extent3{256, 1, 1}));
}

TEST(local_size, of_hierarchical_groups_is_halved_until_it_fits) {
  EXPECT_EQ(fit_group({256, 1, 1}, 1024), (extent3{256, 1, 1}));
  EXPECT_EQ(fit_group({256, 1, 1}, 200), (extent3{128, 1, 1}));
  EXPECT_EQ(fit_group({32, 8, 1}, 64), (extent3{8, 8, 1}));
  EXPECT_EQ(fit_group({8, 8, 4}, 1), (extent3{1, 1, 1}));
  EXPECT_EQ(fit_group({8, 8, 4}, 0), (extent3{1, 1, 1}));
}

TEST(local_size, is_within_every_limit_and_exact_where_requested) {
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    local_size_limits l;
    l.max_items = 1 + random() % 1024;
    for (auto& m : l.max_each) m = 1 + random() % 1024;
    l.preferred_multiple = 1u << random() % 7;
    l.exact = random() % 2 == 0;
    const extent3 global{1 + random() % 5000, 1 + random() % 60, 1 + random() % 10};
    const extent3 local = choose_local_size(global, l);
    EXPECT_LE(local[0] * local[1] * local[2], l.max_items);
    for (int d = 0; d < 3; ++d) {
      EXPECT_GE(local[d], 1u);
      EXPECT_LE(local[d], l.max_each[d]);
      if (l.exact) {
        EXPECT_EQ(global[d] % local[d], 0u);
      }
    }
  }
}

} // namespace
