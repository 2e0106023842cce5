// Extensions of DPC++ for work-groups: work_group_memory, sorting, loads and stores, reductions of the
// program's own types; compared with the standard library on the host.
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <random>

namespace {

using namespace sycl;
namespace exp = ext::oneapi::experimental;

struct point {
  int x, y;
};

/// Numbers with many equal ones, so that an unstable sort shows.
template <typename T>
std::vector<T> numbers(std::size_t n, unsigned seed, int most = 50) {
  std::mt19937 random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(static_cast<int>(random() % static_cast<unsigned>(2 * most)) - most);
  return v;
}

/// A stable sort; std::stable_sort needs a function of the standard library that is deprecated.
template <typename T, typename Less = std::less<T>>
void sort_stably(std::vector<T>& v, Less less = {}) {
  std::vector<std::pair<T, std::size_t>> all;
  for (const T& x : v) all.emplace_back(x, all.size());
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return less(a.first, b.first) || (!less(b.first, a.first) && a.second < b.second);
  });
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = all[i].first;
}

/// Runs `kernel(item, values, scratch)` in one work-group of `items`, where scratch has `bytes` that begin at
/// an odd place.
template <typename Name, typename T, typename Kernel>
void run_group(std::vector<T>& values, std::size_t items, std::size_t bytes, Kernel kernel) {
  queue q;
  buffer<T> all(values);
  q.submit([&](handler& h) {
    accessor a(all, h, read_write);
    local_accessor<std::byte> odd(1, h), memory(bytes, h);
    h.parallel_for<Name>(nd_range<1>(items, items), [=](nd_item<1> item) {
      if (item.get_local_id(0) == 0) odd[0] = std::byte{1};
      kernel(item, &a[0], span<std::byte>(&memory[0], bytes));
    });
  });
}

TEST(group_extensions, memory_of_a_group_needs_no_sizes_in_the_kernel) {
  constexpr std::size_t groups = 3, items = 16;
  std::vector<int> out(groups * items);
  queue q;
  {
    buffer<int> all(out);
    q.submit([&](handler& h) {
      accessor a(all, h, write_only);
      exp::work_group_memory<int> one{h};
      exp::work_group_memory<int[items]> some{h};
      exp::work_group_memory<int[]> more{items, h};
      exp::work_group_memory<int[][4]> table{items, h};
      exp::work_group_memory<point[2]> points{h};
      h.parallel_for(nd_range<1>(groups * items, items), [=](nd_item<1> item) {
        const std::size_t i = item.get_local_id(0);
        if (i == 0) {
          one = static_cast<int>(item.get_group(0));
          one += 10;
          ++one;
          points[1].y = 1000;
        }
        some[i] = static_cast<int>(i);
        more[i] = static_cast<int>(2 * i);
        table[i][3] = static_cast<int>(3 * i);
        group_barrier(item.get_group());
        exp::work_group_memory<int[items]> copy{exp::indeterminate};
        copy = some;
        int* const first = &one;
        const std::size_t k = items - 1 - i;
        a[item.get_global_id()] = *first + copy[k] + more[k] + table[k][3] + points[1].y +
                                  static_cast<int>(some.get_multi_ptr()[k] == copy[k]);
      });
    });
  }
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t i = 0; i < items; ++i)
      ASSERT_EQ(out[g * items + i], int(g) + 11 + 6 * int(items - 1 - i) + 1001) << g << ' ' << i;
}

TEST(group_extensions, memory_of_a_group_is_refused_where_there_are_no_groups) {
  queue q;
  EXPECT_EQ(prism_test::error_of([&] {
    q.submit([&](handler& h) {
      exp::work_group_memory<int> one{h};
      h.parallel_for(range<1>(4), [=](id<1>) { one = 1; });
    });
  }),
            errc::kernel_argument);
}

TEST(group_extensions, a_shared_range_is_sorted_by_any_comparison) {
  for (const std::size_t n : {1u, 2u, 63u, 500u}) {
    auto values = numbers<int>(n, unsigned(n), 1000), expected = values;
    sort_stably(expected, [](int a, int b) { return a / 10 > b / 10; });
    const std::size_t bytes = exp::default_sorters::joint_sorter<>::memory_required<int>(
        queue().get_device(), memory_scope::work_group, n);
    run_group<class sorts_jointly>(values, 48, bytes, [n](nd_item<1> item, int* v, span<std::byte> memory) {
      exp::joint_sort(exp::group_with_scratchpad(item.get_group(), memory), v, v + n,
                      [](int a, int b) { return a / 10 > b / 10; });
    });
    ASSERT_EQ(values, expected) << n;
  }
}

TEST(group_extensions, values_of_work_items_are_sorted_in_groups_of_any_size) {
  for (const std::size_t items : {1u, 30u, 64u}) {
    auto values = numbers<float>(items, unsigned(items)), expected = values;
    std::sort(expected.begin(), expected.end());
    const std::size_t bytes = exp::default_sorters::group_sorter<float>::memory_required(
        queue().get_device(), memory_scope::work_group, items);
    run_group<class sorts_values>(values, items, bytes,
                                  [](nd_item<1> item, float* v, span<std::byte> memory) {
      const std::size_t i = item.get_local_id(0);
      v[i] = exp::sort_over_group(exp::group_with_scratchpad(item.get_group(), memory), v[i]);
    });
    ASSERT_EQ(values, expected) << items;
  }
}

TEST(group_extensions, values_of_a_sub_group_are_sorted) {
  constexpr std::size_t items = 64;
  auto values = numbers<int>(items, 5), expected = values;
  std::uint32_t size = 0;
  {
    queue q;
    buffer<int> all(values);
    buffer<std::uint32_t> width(&size, 1);
    q.submit([&](handler& h) {
      accessor a(all, h, read_write);
      accessor w(width, h, write_only);
      local_accessor<std::byte> memory(items * (sizeof(int) + alignof(int)), h);
      h.parallel_for(nd_range<1>(items, items), [=](nd_item<1> item) {
        const auto group = item.get_sub_group();
        constexpr std::size_t share = sizeof(int) + alignof(int);
        const std::size_t most = group.get_max_local_range()[0];
        std::byte* const mine = &memory[group.get_group_linear_id() * most * share];
        a[item.get_global_id()] =
            exp::sort_over_group(exp::group_with_scratchpad(group, span<std::byte>(mine, most * share)),
                                 a[item.get_global_id()], std::greater<>());
        if (item.get_local_id(0) == 0) w[0] = static_cast<std::uint32_t>(most);
      });
    });
  }
  for (std::size_t i = 0; i < items; i += size)
    std::sort(expected.begin() + long(i), expected.begin() + long(std::min<std::size_t>(items, i + size)),
              std::greater<>());
  EXPECT_EQ(values, expected) << size;
}

TEST(group_extensions, keys_take_their_values_along_and_equal_keys_keep_their_order) {
  constexpr std::size_t items = 20, each = 3, n = items * each;
  auto keys = numbers<int>(n, 9, 4);
  std::vector<int> values = keys;
  values.resize(2 * n);
  std::iota(values.begin() + n, values.end(), 0);
  std::vector<int> order = prism_test::counted(n);
  sort_stably(order, [&](int a, int b) { return keys[size_t(a)] < keys[size_t(b)]; });
  const std::size_t bytes =
      exp::default_sorters::group_key_value_sorter<int, int, std::less<>, each>::memory_required(
          queue().get_device(), memory_scope::work_group, items);
  run_group<class sorts_pairs>(values, items, bytes, [](nd_item<1> item, int* v, span<std::byte> memory) {
    const std::size_t i = item.get_local_id(0);
    int k[each], x[each];
    for (std::size_t e = 0; e < each; ++e) k[e] = v[i * each + e], x[e] = v[n + i * each + e];
    group_barrier(item.get_group());
    exp::sort_key_value_over_group(
        exp::group_with_scratchpad(item.get_group(), memory), span<int, each>(k), span<int, each>(x),
        exp::properties{exp::output_data_placement<exp::group_algorithm_data_placement::striped>});
    for (std::size_t e = 0; e < each; ++e) v[e * items + i] = k[e], v[n + e * items + i] = x[e];
  });
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(values[n + i], order[i]) << i;
    ASSERT_EQ(values[i], keys[size_t(order[i])]) << i;
  }
}

TEST(group_extensions, radix_sorters_sort_numbers_up_and_down) {
  const device here;
  if (here.get_info<info::device::local_mem_size>() < 20 * 1024)
    GTEST_SKIP() << prism_test::name_of(here) << " has less than 20 KiB of local memory";
  constexpr std::size_t items = 24;
  for (const std::size_t n : {5u, 24u, 301u}) {
    auto values = numbers<float>(n, unsigned(n), 9), expected = values;
    sort_stably(expected);
    using sorter = exp::radix_sorters::joint_sorter<float>;
    run_group<class sorts_floats>(values, items, sorter::memory_required(memory_scope::work_group, n),
                                  [n](nd_item<1> item, float* v, span<std::byte> memory) {
      exp::joint_sort(item.get_group(), v, v + n, sorter(memory));
    });
    ASSERT_EQ(values, expected) << n;
  }
  auto values = numbers<int>(items, 77, 1000000), expected = values;
  std::sort(expected.begin(), expected.end(), std::greater<>());
  using sorter = exp::radix_sorters::group_sorter<int, exp::sorting_order::descending, 1, 3>;
  run_group<class sorts_down>(values, items, sorter::memory_required(memory_scope::work_group, items),
                              [](nd_item<1> item, int* v, span<std::byte> memory) {
    const std::size_t i = item.get_local_id(0);
    v[i] = exp::sort_over_group(item.get_group(), v[i], sorter(memory));
  });
  EXPECT_EQ(values, expected);
}

TEST(group_extensions, a_radix_sorter_looks_at_the_bits_of_its_mask_only) {
  constexpr std::size_t items = 16, each = 4, n = items * each;
  std::vector<unsigned> values(n);
  std::mt19937 random(3);
  for (unsigned& x : values) x = unsigned(random());
  auto expected = values;
  sort_stably(expected, [](unsigned a, unsigned b) { return (a & 0xf0) < (b & 0xf0); });
  using sorter =
      exp::radix_sorters::group_key_value_sorter<unsigned, unsigned, exp::sorting_order::ascending, each>;
  run_group<class sorts_masked>(values, items, sorter::memory_required(memory_scope::work_group, items),
                                [](nd_item<1> item, unsigned* v, span<std::byte> memory) {
    unsigned k[each], x[each];
    exp::group_load(item.get_group(), v, span<unsigned, each>(k));
    exp::group_load(item.get_group(), v, span<unsigned, each>(x),
                    exp::properties{exp::data_placement_blocked});
    group_barrier(item.get_group());
    exp::sort_key_value_over_group(item.get_group(), span<unsigned, each>(k), span<unsigned, each>(x),
                                   sorter(memory, std::bitset<32>(0xf0)));
    exp::group_store(item.get_group(), span<unsigned, each>(x), v);
  });
  EXPECT_EQ(values, expected);
}

TEST(group_extensions, a_group_loads_and_stores_blocks_and_stripes) {
  constexpr std::size_t items = 12, each = 4, n = items * each;
  std::vector<int> values = prism_test::counted(2 * n);
  run_group<class loads>(values, items, 1, [](nd_item<1> item, int* v, span<std::byte>) {
    const auto group = item.get_group();
    int block[each], one = 0;
    vec<int, each> stripe;
    exp::group_load(group, v, span<int, each>(block));
    exp::group_load(group, v, stripe, exp::properties{exp::data_placement_striped, exp::full_group});
    exp::group_load(group, v + 1, one);
    group_barrier(group);
    exp::group_store(group, span<int, each>(block), v, exp::properties{exp::data_placement_striped});
    exp::group_store(group, stripe, v + n);
    group_barrier(group);
    if (item.get_local_id(0) == 5) v[0] = one; // element 6
  });
  EXPECT_EQ(values[0], 6);
  for (std::size_t i = 0; i < items; ++i) {
    for (std::size_t k = 0; k < each; ++k) {
      if (k * items + i > 0) ASSERT_EQ(values[k * items + i], int(i * each + k));
      ASSERT_EQ(values[n + i * each + k], int(k * items + i));
    }
  }
}

struct extremes {
  float low, high;
  int count;
};
struct widen {
  extremes operator()(const extremes& a, const extremes& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.count + b.count};
  }
};

TEST(group_extensions, own_types_are_reduced_by_own_operations) {
  constexpr std::size_t items = 45;
  for (const std::size_t n : {1u, 44u, 1000u}) {
    auto values = numbers<float>(n, unsigned(n), 5000);
    std::vector<float> in = values;
    in.resize(n + 4);
    run_group<class reduces>(in, items, items * (sizeof(extremes) + alignof(extremes)),
                             [n](nd_item<1> item, float* v, span<std::byte> memory) {
      const exp::group_with_scratchpad group(item.get_group(), memory);
      const float mine = v[item.get_local_id(0) % n];
      const extremes all =
          exp::reduce_over_group(group, extremes{mine, mine, 1}, extremes{0, 0, 100}, widen());
      const float sum = exp::joint_reduce(group, v, v + n, 1.0f, [](float a, float b) { return a + b; });
      const int most = exp::reduce_over_group(group, int(mine), sycl::maximum<>());
      group_barrier(item.get_group());
      if (item.get_local_id(0) == items - 1) {
        v[n] = all.low;
        v[n + 1] = static_cast<float>(all.count);
        v[n + 2] = sum;
        v[n + 3] = static_cast<float>(most);
      }
    });
    const auto end = values.begin() + long(std::min(n, items));
    EXPECT_EQ(in[n], std::min(0.0f, *std::min_element(values.begin(), end))) << n;
    EXPECT_EQ(in[n + 1], 100 + int(items));
    EXPECT_EQ(in[n + 2], std::accumulate(values.begin(), values.end(), 1.0f)) << n; // whole numbers: exact
    EXPECT_EQ(in[n + 3], *std::max_element(values.begin(), end)) << n;
  }
}

TEST(group_extensions, the_runtime_chooses_a_group_size_that_divides_the_range) {
  queue q;
  const auto run = [&](auto global) {
    constexpr int D = decltype(global)::dimensions;
    std::vector<unsigned> sizes(global.size());
    unsigned sum = 0;
    {
      buffer<unsigned> out(sizes);
      buffer<unsigned> total(&sum, 1);
      const nd_range<D> items(global, exp::auto_range<D>());
      q.submit([&](handler& h) {
        accessor a(out, h, write_only);
        h.parallel_for(items, [=](nd_item<D> item) {
          a[item.get_global_linear_id()] = static_cast<unsigned>(item.get_local_range().size());
        });
      });
      if constexpr (D == 1)
        q.submit([&](handler& h) {
          h.parallel_for(items, reduction(total, h, plus<>()), [=](nd_item<D>, auto& each) { each += 1u; });
        });
    }
    EXPECT_EQ(sum, D == 1 ? global.size() : 0);
    for (const unsigned size : sizes) EXPECT_EQ(size, sizes[0]);
    return sizes[0];
  };
  const auto most = std::min<std::size_t>(256, q.get_device().get_info<info::device::max_work_group_size>());
  if (most == 256) {
    EXPECT_EQ(run(range<1>(1024)), 256u);
    EXPECT_EQ(run(range<1>(300)), 150u);
    EXPECT_EQ(run(range<2>(64, 48)), 24u * 8u);
    EXPECT_EQ(run(range<3>(8, 8, 8)), 256u);
  }
  EXPECT_EQ(run(range<1>(257)), 1u);
}

TEST(group_extensions, a_work_group_size_of_zero_stays_an_error) {
  queue q;
  EXPECT_EQ(prism_test::error_of([&] { q.parallel_for(nd_range<1>(4, 0), [=](nd_item<1>) {}); }),
            errc::nd_range);
}

} // namespace
