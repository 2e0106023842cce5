// Reductions and group algorithms on the host device, whose work-items meet at barriers. This file is
// compiled without the plugin.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

using namespace sycl;

queue host_queue() {
  return queue([](const device& d) { return d.get_backend() == backend::ext_prism_host ? 1 : -1; });
}

TEST(reductions, combine_with_the_old_value_for_any_size) {
  queue q = host_queue();
  for (std::size_t n : {0u, 1u, 7u, 1000u, 100003u}) {
    int sum = 10;
    float largest = -1;
    std::vector<float> values(n == 0 ? 1 : n);
    for (std::size_t i = 0; i < n; ++i) values[i] = float(i * 7919 % n);
    {
      buffer<int> sum_buffer(&sum, 1);
      buffer<float> largest_buffer(&largest, 1), value_buffer(values);
      q.submit([&](handler& h) {
        accessor in(value_buffer, h, read_only);
        h.parallel_for(range<1>(n), reduction(sum_buffer, h, plus<>()),
                       reduction(largest_buffer, h, maximum<>()), [=](id<1> i, auto& s, auto& m) {
          s += 1;
          m.combine(in[i]);
        });
      });
    }
    EXPECT_EQ(sum, int(n) + 10);
    EXPECT_EQ(largest, n == 0 ? -1.0f : float(n - 1));
  }
}

TEST(reductions, ignore_the_old_value_with_initialize_to_identity) {
  queue q = host_queue();
  int sum = 5;
  {
    buffer<int> b(&sum, 1);
    q.submit([&](handler& h) {
      h.parallel_for(range<2>(13, 17),
                     reduction(b, h, plus<int>(), property::reduction::initialize_to_identity{}),
                     [=](item<2> it, auto& s) { s += int(it.get_linear_id()); });
    });
  }
  EXPECT_EQ(sum, 220 * 221 / 2);
  buffer<int> b(&sum, 1);
  const auto larger = [](int x, int y) { return x > y ? x : y; };
  EXPECT_THROW(
      q.submit([&](handler& h) { reduction(b, h, larger, property::reduction::initialize_to_identity{}); }),
      sycl::exception);
}

TEST(reductions, need_no_identity) {
  queue q = host_queue();
  int value = 3;
  {
    buffer<int> b(&value, 1);
    q.submit([&](handler& h) {
      h.parallel_for(nd_range<1>(256, 32), reduction(b, h, [](int x, int y) { return x > y ? x : y; }),
                     [=](nd_item<1> it, auto& s) { // only some work-items contribute
        if (it.get_global_id(0) % 100 == 50) s.combine(int(it.get_global_id(0)));
      });
    });
  }
  EXPECT_EQ(value, 250);
}

TEST(reductions, of_spans_reduce_each_element) {
  queue q = host_queue();
  int* p = malloc_shared<int>(3, q);
  std::iota(p, p + 3, 1);
  q.parallel_for(range<1>(100), reduction(span<int, 3>(p, 3), plus<>()), [=](id<1> i, auto& s) {
    s[i[0] % 3] += 1;
    ++s[0];
  }).wait();
  EXPECT_EQ(std::vector<int>(p, p + 3), (std::vector<int>{1 + 34 + 100, 2 + 33, 3 + 33}));
  free(p, q);
}

class group_algorithms : public testing::TestWithParam<int> {};

TEST_P(group_algorithms, combine_all_work_items_in_order) {
  queue q = host_queue();
  const int local = GetParam(), groups = 3, n = local * groups;
  std::vector<int> out(std::size_t(n) * 6, -1);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h);
      h.parallel_for(nd_range<1>(n, local), [=](nd_item<1> it) {
        const auto g = it.get_group();
        const int i = int(it.get_global_id(0)), l = int(it.get_local_id(0));
        o[i] = reduce_over_group(g, l, plus<>());
        o[i + n] = inclusive_scan_over_group(g, l, plus<>());
        o[i + 2 * n] = exclusive_scan_over_group(g, l, 100, plus<>());
        o[i + 3 * n] = reduce_over_group(g, l * 37 % local, maximum<>());
        o[i + 4 * n] = group_broadcast(g, i, local - 1);
        o[i + 5 * n] =
            any_of_group(g, l == local - 1) + 2 * all_of_group(g, l < local) + 4 * any_of_group(g, l < 0);
      });
    });
  }
  int largest = 0;
  for (int l = 0; l < local; ++l) largest = std::max(largest, l * 37 % local);
  for (int i = 0; i < n; ++i) {
    const int l = i % local;
    EXPECT_EQ(out[i], local * (local - 1) / 2);
    EXPECT_EQ(out[i + n], l * (l + 1) / 2);
    EXPECT_EQ(out[i + 2 * n], 100 + l * (l - 1) / 2);
    EXPECT_EQ(out[i + 3 * n], largest);
    EXPECT_EQ(out[i + 4 * n], i / local * local + local - 1);
    EXPECT_EQ(out[i + 5 * n], 3);
  }
}
INSTANTIATE_TEST_SUITE_P(sizes, group_algorithms, testing::Values(1, 3, 16, 17, 64, 250));

struct wide_value { // four of these fit into the scratch block
  int value;
  char rest[1000];
};

TEST(group_combine, large_values_are_combined_in_several_iterations) {
  queue q = host_queue();
  const int n = 300; // ten sub-groups, the last one partial
  std::vector<int> out(2 * n);
  {
    buffer<int> b(out);
    q.submit([&](handler& h) {
      accessor o(b, h);
      h.parallel_for(nd_range<1>(n, n), [=](nd_item<1> it) {
        const auto add = [](const wide_value& x, const wide_value& y) {
          return wide_value{x.value + y.value, {}};
        };
        const std::size_t self = it.get_local_id(0);
        const wide_value own{int(self), {}};
        o[self] = reduce_over_group(it.get_group(), own, add).value;
        o[self + n] = inclusive_scan_over_group(it.get_group(), own, add).value;
      });
    });
  }
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(out[i], n * (n - 1) / 2);
    EXPECT_EQ(out[i + n], i * (i + 1) / 2);
  }
}

TEST(joint_algorithms, keep_order_and_run_in_place) {
  queue q = host_queue();
  const int n = 1000;
  std::vector<int> a(n), b(n);
  std::iota(a.begin(), a.end(), 1);
  int total = 0;
  {
    buffer<int> ba(a), bb(b), bt(&total, 1);
    q.submit([&](handler& h) {
      accessor x(ba, h), y(bb, h), t(bt, h);
      h.parallel_for(nd_range<1>(48, 48), [=](nd_item<1> it) {
        const auto g = it.get_group();
        int* p = &x[0];
        const int sum = joint_reduce(g, p, p + n, plus<>());
        const bool found = joint_any_of(g, p, p + n, [](int v) { return v == 777; });
        joint_exclusive_scan(g, p, p + n, &y[0], plus<>());
        joint_inclusive_scan(g, p, p + n, p, plus<>());
        if (g.leader()) t[0] = found ? sum : -1;
      });
    });
  }
  EXPECT_EQ(total, 500500);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(a[i], (i + 1) * (i + 2) / 2);
    EXPECT_EQ(b[i], i * (i + 1) / 2);
  }
}

} // namespace
