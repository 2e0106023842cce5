// Loops over tiles that are strided by the number of groups, as libraries write them: as many groups as
// tiles, fewer, in one and two dimensions, with indices of 32 bits that wrap around.
#include "tests/sycl/common.hpp"

#include <climits>
#include <cstdint>
#include <vector>

namespace {

struct tiles {
  int lower[2], upper[2], width[2], count[2];
};

tiles tiles_of(int rows, int columns, int height, int width) {
  return {{1, 2},
          {columns, rows},
          {width, height},
          {(columns + width - 1) / width, (rows + height - 1) / height}};
}

/// Each element of the box between `lower` and `upper` is counted once, for each number of groups.
void expect_each_once(sycl::queue& q, const tiles& box, int groups_x, int groups_y) {
  const int columns = box.upper[0] + 3, rows = box.upper[1] + 3;
  std::vector<int> counts(std::size_t(columns * rows), 0);
  {
    sycl::buffer<int, 2> seen(counts.data(), {std::size_t(rows), std::size_t(columns)});
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(seen, h);
      const sycl::range<3> local{1, std::size_t(box.width[1]), std::size_t(box.width[0])};
      h.parallel_for(
          sycl::nd_range<3>({1, std::size_t(groups_y) * local[1], std::size_t(groups_x) * local[2]}, local),
          [=](sycl::nd_item<3> it) {
        const int x = it.get_local_id(2), y = it.get_local_id(1);
        for (int t1 = it.get_group(1); t1 < box.count[1]; t1 += it.get_group_range(1)) {
          const int row = t1 * box.width[1] + y + box.lower[1];
          if (row < box.upper[1] && y < box.width[1])
            for (int t0 = it.get_group(2); t0 < box.count[0]; t0 += it.get_group_range(2)) {
              const int column = t0 * box.width[0] + x + box.lower[0];
              if (column < box.upper[0] && x < box.width[0]) out[row][column] += 1 + column;
            }
        }
      });
    });
  }
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const bool inside =
          row >= box.lower[1] && row < box.upper[1] && column >= box.lower[0] && column < box.upper[0];
      ASSERT_EQ(counts[std::size_t(row * columns + column)], inside ? 1 + column : 0)
          << groups_x << " by " << groups_y << " groups, row " << row << ", column " << column;
    }
}

TEST(tile_loops, each_element_belongs_to_one_iteration_with_as_many_groups_as_tiles_or_fewer) {
  sycl::queue q;
  const int widest = int(q.get_device().get_info<sycl::info::device::max_work_group_size>());
  for (auto [height, width] : {std::pair(2, 16), std::pair(8, 16), std::pair(1, 7), std::pair(3, 5)}) {
    if (height * width > widest) continue;
    const tiles box = tiles_of(37, 53, height, width);
    for (auto [x, y] : {std::pair(box.count[0], box.count[1]), std::pair(1, 1), std::pair(2, box.count[1]),
                        std::pair(box.count[0], 3), std::pair(box.count[0] + 2, box.count[1] + 1)})
      expect_each_once(q, box, x, y);
  }
}

/// 64-bit sums that a program stores into `int`: the tile in the middle wraps around from 2^31 - 1 to -2^31.
TEST(tile_loops, indices_of_32_bits_wrap_around_between_two_work_items) {
  sycl::queue q;
  constexpr int local = 16, groups = 3, count = local * groups;
  std::int64_t lower = (std::int64_t{1} << 31) - local - 5; // captured, not a constant of the kernel
  std::vector<std::int64_t> found(count, 0);
  {
    sycl::buffer<std::int64_t> result(found.data(), count);
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      std::int64_t tile = local;
      int tile_count = groups;
      h.parallel_for(sycl::nd_range<1>(count, local), [=](sycl::nd_item<1> it) {
        for (int t = it.get_group(0); t < tile_count; t += it.get_group_range(0)) {
          const int i = static_cast<int>(t * tile + static_cast<int>(it.get_local_id(0)) + lower);
          out[std::size_t(t * tile) + it.get_local_id(0)] = i + std::int64_t{1};
        }
      });
    });
  }
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(found[std::size_t(i)], std::int64_t{static_cast<std::int32_t>(lower + i)} + 1) << i;
}

/// As libraries reduce over tiles: fewer groups than tiles, then a barrier and the group's sum.
TEST(tile_loops, sums_of_several_tiles_are_right_before_and_after_a_barrier) {
  sycl::queue q;
  constexpr int local = 32, elements = 1000;
  for (const int groups : {1, 3, 32, 40}) {
    std::vector<int> sums(std::size_t(groups), -1);
    {
      sycl::buffer<int> result(sums.data(), sums.size());
      q.submit([&](sycl::handler& h) {
        sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
        sycl::local_accessor<int> parts(local, h);
        h.parallel_for(sycl::nd_range<1>(std::size_t(groups * local), local), [=](sycl::nd_item<1> it) {
          const int lid = it.get_local_id(0), tile_count = (elements + local - 1) / local;
          int sum = 0;
          for (int t = it.get_group(0); t < tile_count; t += it.get_group_range(0)) {
            const int i = t * local + lid;
            if (i < elements) sum += i;
          }
          if (lid % 3 == 0) // some work-items do not reach the loop
            for (int t = it.get_group(0); t < tile_count; t += it.get_group_range(0))
              sum += t - t % tile_count;
          parts[lid] = sum;
          sycl::group_barrier(it.get_group());
          if (lid == 0) {
            int all = 0;
            for (int k = 0; k < local; ++k) all += parts[k];
            out[it.get_group(0)] = all;
          }
        });
      });
    }
    int all = 0;
    for (const int each : sums) all += each;
    EXPECT_EQ(all, elements * (elements - 1) / 2) << groups << " groups";
  }
}

/// Divisions that do not change in a loop are made before it, also for work-items that never reach them: a
/// divisor of 0, or the least number divided by -1, must not stop the program there.
TEST(tile_loops, divide_only_where_the_program_does) {
  struct division {
    int divisor, first, items; // of the work-items only so many divide
  };
  constexpr int local = 32, tiles = 5, groups = 2;
  sycl::queue q;
  for (const division& each : {division{7, 100, 20}, division{-1, 100, 32}, division{-1, INT_MIN, 0},
                               division{0, 100, 0}, division{-3, -100, 11}, division{1, INT_MIN, 32}}) {
    const auto [divisor, first, items] = each;
    std::vector<int> sums(local * groups, -1);
    {
      sycl::buffer<int> result(sums.data(), sums.size());
      q.submit([&](sycl::handler& h) {
        sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
        h.parallel_for(sycl::nd_range<1>(local * groups, local), [=](sycl::nd_item<1> it) {
          const int lid = it.get_local_id(0);
          int sum = 0;
          for (int t = it.get_group(0); t < tiles; t += it.get_group_range(0))
            if (lid < items)
              sum += (first / divisor) / 4 + (lid - 16) / divisor * 3 + (lid - 16) % divisor +
                     (t - 2) / divisor * 100;
          out[it.get_global_id(0)] = sum;
        });
      });
    }
    for (int group = 0; group < groups; ++group)
      for (int lid = 0; lid < local; ++lid) {
        int sum = 0;
        for (int t = group; t < tiles; t += groups)
          if (lid < items)
            sum += (first / divisor) / 4 + (lid - 16) / divisor * 3 + (lid - 16) % divisor +
                   (t - 2) / divisor * 100;
        ASSERT_EQ(sums[std::size_t(group * local + lid)], sum)
            << "divisor " << divisor << ", work-item " << lid << " of group " << group;
      }
  }
}

/// As Kokkos' sums over ranges of two dimensions: a tile has rows of a width that the compiler does not know.
TEST(tile_loops, sums_over_rows_of_a_tile_are_right) {
  constexpr int local = 32, groups = 3;
  sycl::queue q;
  for (const int width : {1, 3, 16, 32})
    for (const int items : {5, local}) {
      const int height = (local + width - 1) / width, across = 4, down = 6, row = width * across;
      std::vector<int> values(std::size_t(row * height * down)), sums(local * groups, -1);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = int(i % 1009);
      {
        sycl::buffer<int> from(values.data(), values.size()), result(sums.data(), sums.size());
        q.submit([&](sycl::handler& h) {
          sycl::accessor in(from, h, sycl::read_only);
          sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
          h.parallel_for(sycl::nd_range<1>(local * groups, local), [=](sycl::nd_item<1> it) {
            const int lid = it.get_local_id(0);
            int sum = 0;
            for (int t = it.get_group(0); t < across * down; t += it.get_group_range(0))
              if (lid < items && t < across * down - 1) {
                const int x = t % across * width + lid % width, y = t / across * height + lid / width;
                if (x < row && y < height * down) sum += in[y * row + x];
              }
            out[it.get_global_id(0)] = sum;
          });
        });
      }
      for (int group = 0; group < groups; ++group)
        for (int lid = 0; lid < local; ++lid) {
          int sum = 0;
          for (int t = group; t < across * down - 1; t += groups)
            if (lid < items)
              sum += values[std::size_t((t / across * height + lid / width) * row + t % across * width +
                                        lid % width)];
          ASSERT_EQ(sums[std::size_t(group * local + lid)], sum)
              << "width " << width << ", work-item " << lid << " of group " << group;
        }
    }
}

} // namespace
