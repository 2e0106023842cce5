// One operation in the forms in which programs write it: with a guard, strided, in two dimensions, by one
// work-item of the group, with counters of every type. All must compute the same as a plain loop, for all
// sizes.
#include "tests/sycl/common.hpp"

#include <cstdint>
#include <limits>

namespace {

using namespace sycl;

constexpr int most = 1000; // elements

int input_at(int i) { return (i * 37 + 11) % 251; }
int result_at(int i) { return input_at(i) * 3 - 7; }

/// Runs `kernel(item, in, out)` over `items` work-items in groups of `local`; the elements of `out` are -1
/// before.
template <int D, typename Kernel>
std::vector<int> run(range<D> items, range<D> local, Kernel kernel) {
  std::vector<int> in(most), out(most, -1);
  for (int i = 0; i < most; ++i) in[i] = input_at(i);
  {
    queue q;
    buffer<int> a(in), b(out);
    q.submit([&](handler& h) {
      accessor x(a, h, read_only);
      accessor y(b, h, read_write);
      h.parallel_for(nd_range<D>(items, local), [=](nd_item<D> it) { kernel(it, x, y); });
    });
  }
  return out;
}
template <typename Kernel>
std::vector<int> run(int items, int local, Kernel kernel) {
  return run(range<1>(items), range<1>(local), kernel);
}

/// The first `n` elements must be computed, and no other one changed.
void expect_first(const std::vector<int>& out, int n, const std::string& what) {
  for (int i = 0; i < most; ++i)
    ASSERT_EQ(out[i], i < n ? result_at(i) : -1) << what << ", element " << i << " of " << n;
}

struct shape {
  int items, local;
};
constexpr shape all_shapes[] = {{960, 32}, {960, 160}, {992, 31}, {1000, 1000}, {7, 7}, {64, 1}, {768, 256}};
/// Whether the device takes work-groups of this size: weak Vulkan devices end at 128 or 256.
bool takes(int local) {
  static const std::size_t largest = queue().get_device().get_info<info::device::max_work_group_size>();
  return std::size_t(local) <= largest;
}
std::vector<shape> shapes() {
  std::vector<shape> taken;
  for (const shape& each : all_shapes)
    if (takes(each.local)) taken.push_back(each);
  return taken;
}
const int sizes[] = {0, 1, 6, 31, 32, 33, 255, 700, 959, 960};

TEST(guards, of_every_index_type_pass_the_first_n_work_items) {
  for (const shape& s : shapes())
    for (const int size : sizes) {
      const int n = std::min(size, s.items);
      const std::size_t wide = std::size_t(n);
      const unsigned narrow = unsigned(n);
      const std::string of = std::to_string(s.items) + " in groups of " + std::to_string(s.local);
      expect_first(run(s.items, s.local,
                       [=](nd_item<1> it, auto& x, auto& y) {
        const std::size_t i = it.get_global_id(0);
        if (i < wide) y[i] = x[i] * 3 - 7;
      }),
                   n, "size_t, " + of);
      expect_first(run(s.items, s.local,
                       [=](nd_item<1> it, auto& x, auto& y) {
        const int i = int(it.get_global_id(0));
        if (i < n) y[i] = x[i] * 3 - 7;
      }),
                   n, "int, " + of);
      expect_first(run(s.items, s.local,
                       [=](nd_item<1> it, auto& x, auto& y) {
        const unsigned i = unsigned(it.get_group(0) * it.get_local_range(0) + it.get_local_id(0));
        if (i >= narrow) return;
        y[i] = x[i] * 3 - 7;
      }),
                   n, "unsigned, leaves early, " + of);
      expect_first(run(s.items, s.local,
                       [=](nd_item<1> it, auto& x, auto& y) {
        const int i = int(it.get_local_id(0)) + int(it.get_group(0)) * int(it.get_local_range(0));
        if (n - 1 >= i) y[i] = x[i] * 3 - 7;
      }),
                   n, "the sides exchanged, " + of);
    }
}

TEST(guards, work_near_the_limits_of_integer_types) {
  const std::size_t everything = std::numeric_limits<std::size_t>::max();
  expect_first(run(96, 32,
                   [=](nd_item<1> it, auto& x, auto& y) {
    const std::size_t i = it.get_global_id(0);
    if (i < everything) y[i] = x[i] * 3 - 7;
  }),
               96, "a bound above all indices");
  const int shift = std::numeric_limits<int>::max() - 40; // wraps around in the second group
  const auto out = run(96, 32, [=](nd_item<1> it, auto& x, auto& y) {
    const int i = int(unsigned(it.get_global_id(0)) + unsigned(shift));
    if (i < std::numeric_limits<int>::max() - 10) y[it.get_global_id(0)] = x[it.get_global_id(0)] * 3 - 7;
  });
  for (int i = 0; i < 96; ++i) ASSERT_EQ(out[i], i < 30 || i > 40 ? result_at(i) : -1) << i;
  const int negative = -5;
  expect_first(run(96, 32,
                   [=](nd_item<1> it, auto& x, auto& y) {
    const int i = int(it.get_global_id(0));
    if (i < negative) y[i] = x[i] * 3 - 7;
  }),
               0, "a negative bound");
  const auto inner = run(96, 32, [=](nd_item<1> it, auto& x, auto& y) {
    const int i = int(it.get_global_id(0));
    if (i > 0 && i < 95) y[i] = x[i - 1] + x[i] + x[i + 1];
  });
  for (int i = 0; i < 96; ++i)
    ASSERT_EQ(inner[i], i > 0 && i < 95 ? input_at(i - 1) + input_at(i) + input_at(i + 1) : -1) << i;
}

/// Such numbers are computed in 64 bits, where only the low half counts.
TEST(guards, numbers_in_32_bits_are_compared_with_constants) {
  for (const shape& s : shapes()) {
    const std::string of = std::to_string(s.items) + " in groups of " + std::to_string(s.local);
    expect_first(run(s.items, s.local,
                     [=](nd_item<1> it, auto& x, auto& y) {
      const unsigned i = unsigned(it.get_global_id(0));
      if (i < 256) y[i] = x[i] * 3 - 7;
    }),
                 std::min(256, s.items), "a power of two, " + of);
    expect_first(run(s.items, s.local,
                     [=](nd_item<1> it, auto& x, auto& y) {
      for (unsigned i = it.get_global_id(0); i < 512; i += it.get_global_range(0)) y[i] = x[i] * 3 - 7;
    }),
                 512, "a stride below a power of two, " + of);
    expect_first(run(s.items, s.local,
                     [=](nd_item<1> it, auto& x, auto& y) {
      for (unsigned i = it.get_global_id(0); i < 999; i += it.get_global_range(0)) y[i] = x[i] * 3 - 7;
    }),
                 999, "a stride below a constant, " + of);
    expect_first(run(s.items, s.local,
                     [=](nd_item<1> it, auto& x, auto& y) {
      const unsigned i = unsigned(it.get_global_id(0)) - 16u; // wraps around
      if (i < 64) y[i] = x[i] * 3 - 7;
    }),
                 std::max(0, std::min(64, s.items - 16)), "numbers that wrap around, " + of);
  }
}

TEST(guards, rows_of_a_power_of_two_are_pictures) {
  constexpr int width = 32, height = 31;
  for (const range<2> local : {range<2>(4, 16), range<2>(2, 32), range<2>(32, 1), range<2>(8, 8)}) {
    const auto out = run(range<2>(32, 64), local, [=](nd_item<2> it, auto& x, auto& y) {
      const int row = int(it.get_global_id(0)), column = int(it.get_global_id(1));
      if (row > 0 && row < height - 1 && column > 0 && column < width - 1) {
        const int k = row * width + column;
        y[k] = x[k - 1] + x[k + 1] + x[k - width] + x[k + width];
      }
    });
    for (int k = 0; k < width * height; ++k) {
      const int row = k / width, column = k % width;
      const bool inside = row > 0 && row < height - 1 && column > 0 && column < width - 1;
      ASSERT_EQ(out[k],
                inside ? input_at(k - 1) + input_at(k + 1) + input_at(k - width) + input_at(k + width) : -1)
          << row << ", " << column;
    }
  }
}

TEST(guards, can_contain_loops_barriers_and_more_guards) {
  for (const int n : {0, 5, 64, 90, 96})
    for (const int rounds : {0, 1, 7, 40}) {
      const auto out = run(96, 32, [=](nd_item<1> it, auto& x, auto& y) {
        const int i = int(it.get_global_id(0));
        if (i >= n) return;
        int sum = i;
        for (int k = 0; k < rounds; ++k) sum += x[k * 20 + i] * (k + 1);
        if (i < n - 3) sum += 1000;
        y[i] = sum;
      });
      for (int i = 0; i < 96; ++i) {
        int sum = i + (i < n - 3 ? 1000 : 0);
        for (int k = 0; k < rounds; ++k) sum += input_at(k * 20 + i) * (k + 1);
        ASSERT_EQ(out[i], i < n ? sum : -1) << i << " of " << n << ", " << rounds << " iterations";
      }
    }
}

TEST(guards, in_two_dimensions_exclude_the_border) {
  for (const auto [width, height] : {std::pair{20, 30}, {16, 16}, {17, 33}, {1, 40}, {32, 31}, {0, 5}}) {
    const int w = width, h = height;
    const auto both = run(range<2>(48, 32), range<2>(4, 16), [=](nd_item<2> it, auto& x, auto& y) {
      const int i = int(it.get_global_id(1)), j = int(it.get_global_id(0));
      if (i < w && j < h) y[j * w + i] = x[j * w + i] * 3 - 7;
    });
    expect_first(both, w * h, "int");
    const auto either = run(range<2>(48, 32), range<2>(8, 8), [=](nd_item<2> it, auto& x, auto& y) {
      const std::size_t i = it.get_global_id(1), j = it.get_global_id(0);
      if (j >= std::size_t(h) || i >= std::size_t(w)) return;
      y[j * w + i] = x[j * w + i] * 3 - 7;
    });
    expect_first(either, w * h, "size_t, leaves early");
  }
}

template <typename Counter>
void stride(const char* type) {
  for (const shape& s : shapes())
    for (const int n : {0, 5, 64, 700, 1000}) {
      const Counter bound = Counter(n);
      const std::string what =
          std::string(type) + ", " + std::to_string(s.items) + " in groups of " + std::to_string(s.local);
      expect_first(run(s.items, s.local,
                       [=](nd_item<1> it, auto& x, auto& y) {
        for (Counter k = Counter(it.get_global_id(0)); k < bound; k += it.get_global_range(0))
          y[k] = x[k] * 3 - 7;
      }),
                   n, what);
      const int groups = s.items / s.local;
      const auto sums = run(s.items, s.local, [=](nd_item<1> it, auto& x, auto& y) {
        int sum = 0;
        for (Counter k = Counter(it.get_global_id(0)); k < bound; k += Counter(it.get_global_range(0)))
          sum = sum * 3 + x[k];
        y[it.get_global_id(0)] = sum;
      });
      for (int i = 0; i < s.items; ++i) {
        int sum = 0;
        for (int k = i; k < n; k += s.items) sum = sum * 3 + input_at(k);
        ASSERT_EQ(sums[i], sum) << what << ", work-item " << i << " of " << n << " elements";
      }
      const int part = n / groups;
      expect_first(run(s.items, s.local,
                       [=](nd_item<1> it, auto& x, auto& y) {
        const Counter first = Counter(it.get_group(0) * part);
        for (Counter k = Counter(first + it.get_local_id(0)); k < Counter(first + part);
             k += Counter(it.get_local_range(0)))
          y[k] = x[k] * 3 - 7;
      }),
                   part * groups, "of the group, " + what);
    }
}

TEST(strided_loops, visit_each_element_once_with_every_counter_type) {
  stride<std::size_t>("size_t");
  stride<int>("int");
  stride<unsigned>("unsigned");
  stride<std::int64_t>("int64_t");
  stride<short>("short");
}

TEST(strided_loops, can_follow_a_guard_and_break_early) {
  for (const int n : {0, 33, 90}) {
    const auto out = run(96, 32, [=](nd_item<1> it, auto& x, auto& y) {
      const int i = int(it.get_global_id(0));
      if (i < n)
        for (int k = i; k < most; k += 96) {
          if (x[k] == 250) break;
          y[k] = x[k] * 3 - 7;
        }
    });
    for (int i = 0; i < 96; ++i) {
      bool stopped = i >= n;
      for (int k = i; k < most; k += 96) {
        stopped |= input_at(k) == 250;
        ASSERT_EQ(out[k], stopped ? -1 : result_at(k)) << k << ", " << n;
      }
    }
  }
}

/// A guard of each iteration: of the first and the last elements, of one dimension's last, of a shifted index
/// that wraps around.
template <typename Counter>
void stride_with_guards() {
  for (const shape& s : shapes())
    for (const int n : {0, 1, 2, 64, 700, 1000}) {
      const Counter bound = Counter(n);
      const auto out = run(s.items, s.local, [=](nd_item<1> it, auto& x, auto& y) {
        for (Counter k = Counter(it.get_global_id(0)); k < bound; k += Counter(it.get_global_range(0)))
          if (k > 0 && k < Counter(bound - 1)) y[k] = x[k - 1] + x[k] * 2 + x[k + 1];
      });
      const auto shifted = run(s.items, s.local, [=](nd_item<1> it, auto& x, auto& y) {
        for (Counter k = Counter(it.get_global_id(0)); k < bound; k += Counter(it.get_global_range(0)))
          if (Counter(k - 40) < Counter(600)) y[k] = x[k] * 3 - 7;
      });
      for (int i = 0; i < most; ++i) {
        const bool is_inner = i > 0 && i < n - 1;
        ASSERT_EQ(out[i], is_inner ? input_at(i - 1) + input_at(i) * 2 + input_at(i + 1) : -1)
            << i << " of " << n << ", " << s.items << " in groups of " << s.local;
        const bool passes = i < n && Counter(Counter(i) - 40) < Counter(600);
        ASSERT_EQ(shifted[i], passes ? result_at(i) : -1) << i << " of " << n << ", shifted";
      }
    }
}

TEST(strided_loops, guards_of_each_iteration_exclude_elements) {
  stride_with_guards<std::size_t>();
  stride_with_guards<int>();
  stride_with_guards<unsigned>();
}

TEST(ranges, guards_exclude_the_border) {
  for (const int n : {1, 2, 40, 700, 1000}) {
    std::vector<int> in(most), out(most, -1);
    for (int i = 0; i < most; ++i) in[i] = input_at(i);
    {
      queue q;
      buffer<int> a(in), b(out);
      q.submit([&](handler& h) {
        accessor x(a, h, read_only);
        accessor y(b, h, read_write);
        const std::size_t last = std::size_t(n - 1);
        h.parallel_for(range<1>(n), [=](id<1> k) {
          if (k[0] > 0 && k[0] < last) y[k] = x[k[0] - 1] + x[k] * 2 + x[k[0] + 1];
        });
      });
    }
    for (int i = 0; i < most; ++i)
      ASSERT_EQ(out[i], i > 0 && i < n - 1 ? input_at(i - 1) + input_at(i) * 2 + input_at(i + 1) : -1)
          << i << " of " << n;
  }
}

/// A picture whose row and column are computed from one id, which starts at `offset`. A work-item whose id is
/// outside writes nothing. Checks all elements.
template <typename Index>
void divide_ids(Index width, Index height, int local, Index least) {
  const int items = (int(width) * int(height) + local - 1) / local * local;
  if (items > most || !takes(local)) return;
  const auto out = run(items, local, [=](nd_item<1> it, auto& x, auto& y) {
    const Index k = Index(it.get_global_id(0)) + least, row = k / width, column = k % width;
    if (row < height && column > 0 && column < width - 1)
      y[row * width + column] = x[row * width + column - 1] * 2 + x[k + 1] + int(row) * 3;
  });
  for (int k = 0; k < most; ++k) {
    const int row = k / int(width), column = k % int(width);
    const bool inside = k >= int(least) && k < items + int(least) && row < int(height) && column > 0 &&
                        column < int(width) - 1;
    ASSERT_EQ(out[k], inside ? input_at(k - 1) * 2 + input_at(k + 1) + row * 3 : -1)
        << k << ", width " << int(width) << ", groups of " << local << ", from " << int(least);
  }
}
template <typename Index>
void divide_ids_by_all_widths() {
  for (const Index width : {1, 7, 31, 32, 33, 64, 100, 400, 999})
    for (const Index height : {1, 2, 9, 25})
      for (const int local : {1, 32, 100, 250})
        for (const Index least : {0, 5}) divide_ids<Index>(width, height, local, least);
}
TEST(rows, of_one_id_have_every_width_and_type) {
  divide_ids_by_all_widths<int>();
  divide_ids_by_all_widths<unsigned>();
  divide_ids_by_all_widths<std::size_t>();
  divide_ids_by_all_widths<std::int64_t>();
}

TEST(rows, of_constant_widths) {
  constexpr int width = 64, height = 15;
  for (const int local : {32, 192, 960}) {
    if (!takes(local)) continue;
    const auto out = run(960, local, [=](nd_item<1> it, auto& x, auto& y) {
      const int k = int(it.get_global_id(0)), row = k / width, column = k % width;
      if (row > 0 && row < height - 1 && column > 0 && column < width - 1)
        y[row * width + column] = x[row * width + column - 1] + x[(row + 1) * width + column];
    });
    for (int k = 0; k < most; ++k) {
      const int row = k / width, column = k % width;
      const bool inside = row > 0 && row < height - 1 && column > 0 && column < width - 1;
      ASSERT_EQ(out[k], inside ? input_at(k - 1) + input_at(k + width) : -1)
          << k << " in groups of " << local;
    }
  }
}

TEST(rows, of_ids_that_are_negative_or_wrap_around) {
  const int width = 40, big = std::numeric_limits<int>::max() - 100;
  const auto out = run(200, takes(200) ? 200 : 100, [=](nd_item<1> it, auto&, auto& y) {
    const int lane = int(it.get_global_id(0)), k = lane - 90;
    y[lane] = k / width * 1000 + k % width;
    const unsigned u = unsigned(lane) + 0xffffffb0u;
    y[lane + 200] = int(u / unsigned(width) % 1000u * 100u + u % unsigned(width));
    const int from = big + (lane < 100 ? lane : 0);
    y[lane + 400] = from / width % 1000 * 100 + from % width;
  });
  for (int lane = 0; lane < 200; ++lane) {
    const int k = lane - 90, from = big + (lane < 100 ? lane : 0);
    const unsigned u = unsigned(lane) + 0xffffffb0u;
    ASSERT_EQ(out[lane], k / width * 1000 + k % width) << lane;
    ASSERT_EQ(out[lane + 200], int(u / unsigned(width) % 1000u * 100u + u % unsigned(width))) << lane;
    ASSERT_EQ(out[lane + 400], from / width % 1000 * 100 + from % width) << lane;
  }
}

TEST(rows, of_planes_of_a_volume) {
  for (const int width : {33, 40, 5})
    for (const int height : {3, 5}) {
      const int plane = width * height, n = plane * 5;
      const int items = (n + 99) / 100 * 100;
      if (items > most) continue;
      std::vector<int> out(most, -1);
      {
        queue q;
        buffer<int> b(out);
        q.submit([&](handler& h) {
          accessor y(b, h, read_write);
          h.parallel_for(range<1>(n), [=](id<1> i) {
            const int k = int(i[0]), z = k / plane, rest = k % plane, row = rest / width,
                      column = rest % width;
            y[(z * height + row) * width + column] = z * 10000 + row * 100 + column + k / width % height;
          });
        });
      }
      for (int k = 0; k < most; ++k)
        ASSERT_EQ(out[k],
                  k < n ? k / plane * 10000 + k % plane / width * 100 + k % width + k / width % height : -1)
            << k << " of " << width << " x " << height;
    }
}

TEST(leaders, loops_of_one_work_item_between_barriers) {
  queue q;
  std::vector<int> out(960);
  for (const int leader : {0, 3, 31}) {
    {
      buffer<int> b(out);
      q.submit([&](handler& h) {
        accessor y(b, h, write_only);
        local_accessor<int> l(32, h);
        h.parallel_for(nd_range<1>(960, 32), [=](nd_item<1> it) {
          const int i = int(it.get_local_id(0));
          l[i] = input_at(int(it.get_global_id(0)));
          group_barrier(it.get_group());
          if (i == leader) {
            int sum = 0;
            for (int k = 0; k < 32; ++k) sum = sum * 3 + l[k];
            l[leader] = sum;
          }
          group_barrier(it.get_group());
          y[it.get_global_id(0)] = l[leader];
        });
      });
    }
    for (int g = 0; g < 30; ++g) {
      int sum = 0;
      for (int k = 0; k < 32; ++k) sum = sum * 3 + input_at(g * 32 + k);
      for (int k = 0; k < 32; ++k) ASSERT_EQ(out[g * 32 + k], sum) << g;
    }
  }
}

TEST(tiles, tile_loops_have_the_same_length_for_the_whole_group) {
  for (const int n : {0, 16, 100, 112}) {
    std::vector<int> out(64, -1), expected(64);
    for (int g = 0; g < 64; ++g)
      for (int i = 0; i < (n + 15) / 16 * 16; ++i)
        if (g != i) expected[g] += input_at(i);
    {
      queue q;
      buffer<int> b(out);
      const std::size_t count = std::size_t(n);
      q.submit([&](handler& h) {
        accessor y(b, h, write_only);
        local_accessor<int> tile(16, h);
        h.parallel_for(nd_range<1>(64, 16), [=](nd_item<1> it) {
          const std::size_t g = it.get_global_id(0), l = it.get_local_id(0), size = it.get_local_range(0);
          int sum = 0;
          for (std::size_t from = 0; from < count; from += size) {
            tile[l] = input_at(int(from + l));
            group_barrier(it.get_group());
            for (std::size_t i = 0; i < size; ++i)
              if (g != from + i) sum += tile[i];
            group_barrier(it.get_group());
          }
          y[g] = sum;
        });
      });
    }
    EXPECT_EQ(out, expected) << n;
  }
}

/// 70 barriers, selected by a value that is the same for the whole group.
template <int K>
void wait_at(int which, nd_item<1> it, int& sum) {
  if (which == K) {
    sum += K;
    group_barrier(it.get_group());
    sum *= 3;
  }
  if constexpr (K > 0) wait_at<K - 1>(which, it, sum);
}

TEST(barriers, more_than_64_after_one_branch) {
  const auto out = run(140, 2, [=](nd_item<1> it, auto&, auto& y) {
    int sum = int(it.get_local_id(0));
    wait_at<69>(int(it.get_group(0)), it, sum);
    y[it.get_global_id(0)] = sum;
  });
  for (int i = 0; i < 140; ++i) ASSERT_EQ(out[i], (i / 2 + i % 2) * 3) << i;
}

} // namespace
