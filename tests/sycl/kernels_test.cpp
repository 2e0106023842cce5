// Kernels: every way to launch, what they may capture, groups, local memory, barriers, atomics.
#include "tests/sycl/common.hpp"

#include <array>

using prism_test::counted;

namespace {

template <typename T>
std::vector<T> contents(sycl::buffer<T>& b) {
  sycl::host_accessor a(b, sycl::read_only);
  return {a.begin(), a.end()};
}

template <typename Launch>
std::vector<int> run(std::size_t n, Launch launch) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), -1); });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    launch(h, a);
  });
  return contents(b);
}

struct doubling { // a functor kernel
  sycl::accessor<int> out;
  int factor;
  void operator()(sycl::item<1> i) const { out[i] = int(i.get_id(0)) * factor; }
};

class named;
template <typename T>
class named_template;

TEST(parallel_for, takes_functors_named_and_unnamed_lambdas) {
  const auto expected = [](std::size_t n, int f) {
    auto v = counted(n);
    for (int& x : v) x *= f;
    return v;
  };
  EXPECT_EQ(run(100, [](sycl::handler& h, auto a) { h.parallel_for(sycl::range<1>(100), doubling{a, 2}); }),
            expected(100, 2));
  EXPECT_EQ(run(100,
                [](sycl::handler& h, auto a) {
    h.parallel_for<named>(sycl::range<1>(100), [=](sycl::id<1> i) { a[i] = 3 * int(i[0]); });
  }),
            expected(100, 3));
  EXPECT_EQ(run(100,
                [](sycl::handler& h, auto a) {
    h.parallel_for<named_template<float>>(sycl::range<1>(100), [=](sycl::id<1> i) { a[i] = 4 * int(i[0]); });
  }),
            expected(100, 4));
}

TEST(parallel_for, takes_item_id_integer_and_auto) {
  EXPECT_EQ(
      run(50, [](sycl::handler& h, auto a) { h.parallel_for(50, [=](sycl::item<1> i) { a[i] = int(i); }); }),
      counted(50));
  EXPECT_EQ(
      run(50, [](sycl::handler& h, auto a) { h.parallel_for({50}, [=](sycl::id<1> i) { a[i] = int(i); }); }),
      counted(50));
  EXPECT_EQ(
      run(50, [](sycl::handler& h, auto a) { h.parallel_for(50, [=](std::size_t i) { a[i] = int(i); }); }),
      counted(50));
  EXPECT_EQ(run(50, [](sycl::handler& h, auto a) { h.parallel_for(50, [=](int i) { a[i] = i; }); }),
            counted(50));
  EXPECT_EQ(run(50, [](sycl::handler& h,
                       auto a) { h.parallel_for(50, [=](auto i) { a[i] = int(i.get_linear_id()); }); }),
            counted(50));
  EXPECT_EQ(run(50, [](sycl::handler& h,
                       auto a) { h.parallel_for(50, [=](sycl::item<1, false> i) { a[i[0]] = int(i[0]); }); }),
            counted(50));
}

TEST(parallel_for, of_odd_sizes_writes_its_elements_only) {
  for (const std::size_t n : {1u, 31u, 63u, 65u, 257u, 1023u}) {
    const auto got = run(n + 5, [=](sycl::handler& h, auto a) {
      h.parallel_for(n, [=](sycl::id<1> i) { a[i] = int(i[0]); });
    });
    auto want = counted(n);
    want.resize(n + 5, -1);
    EXPECT_EQ(got, want);
  }
}

/// Each item of a launch in groups of one adds one at its place.
template <int D>
std::vector<int> visits(sycl::range<D> items) {
  sycl::range<D> one = items;
  for (int d = 0; d < D; ++d) one[d] = 1;
  return run(items.size(), [=](sycl::handler& h, auto a) {
    h.parallel_for(sycl::nd_range<D>(items, one), [=](sycl::nd_item<D> i) {
      a[i.get_global_linear_id()] += int(i.get_group_linear_id()) + 1;
    });
  });
}

TEST(nd_range,
     of_more_groups_than_a_driver_launches_at_once_is_split) { // 65,535 on lavapipe
  EXPECT_EQ(visits(sycl::range<1>(140'001)), counted(140'001));
  EXPECT_EQ(visits(sycl::range<2>(66'000, 2)), counted(132'000));
  EXPECT_EQ(visits(sycl::range<2>(2, 66'000)), counted(132'000));
  EXPECT_EQ(visits(sycl::range<3>(66'000, 1, 2)), counted(132'000));
}

TEST(nd_range, of_more_groups_than_the_device_counts_is_refused_by_name) {
  prism_test::error_log log;
  sycl::queue q(sycl::default_selector_v, log.handler());
  if (q.get_backend() != sycl::backend::ext_prism_vulkan)
    GTEST_SKIP() << "only kernels on Vulkan count groups in 32 bits";
  int* last = sycl::malloc_device<int>(1, q);
  const auto launch =
      [&](sycl::nd_range<1> items) { // the kernel knows its group: others run in larger groups than asked for
    q.parallel_for(items, [=](sycl::nd_item<1> it) {
      if (it.get_group(0) + 1 == it.get_group_range(0)) *last = 1;
    });
    q.wait_and_throw();
  };
  launch({std::size_t{1} << 33, 1});
  ASSERT_EQ(log.texts.size(), 1u);
  EXPECT_NE(log.texts[0].find("8589934592 work-groups in one dimension"), std::string::npos) << log.texts[0];
  launch({4, 1}); // the queue works on
  EXPECT_EQ(log.texts.size(), 1u);
  sycl::free(last, q);
}

TEST(nd_range, of_a_million_groups_of_one_visits_each_item_once) {
  sycl::queue q;
  sycl::buffer<int> count{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(count, h, sycl::write_only, sycl::no_init), 0); });
  q.submit([&](sycl::handler& h) {
    sycl::accessor sum(count, h, sycl::read_write);
    h.parallel_for(sycl::nd_range<1>(1 << 20, 1), [=](sycl::nd_item<1> it) {
      if (it.get_global_id(0) % 1024 == 1023)
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(sum[0]) += 1;
    });
  });
  EXPECT_EQ(sycl::host_accessor(count)[0], 1024);
}

TEST(parallel_for, takes_its_item_by_value_or_by_any_reference) {
  EXPECT_EQ(run(20, [](sycl::handler& h,
                       auto a) { h.parallel_for(20, [=](auto& i) { a[i] = int(i.get_linear_id()); }); }),
            counted(20));
  EXPECT_EQ(run(20,
                [](sycl::handler& h, auto a) {
    h.parallel_for(sycl::nd_range<1>(20, 5),
                   [=](auto&& i) { a[i.get_global_id(0)] = int(i.get_global_linear_id()); });
  }),
            counted(20));
}

TEST(parallel_for, may_ask_for_a_dimension_that_is_a_variable) {
  const int dimensions = 3;
  EXPECT_EQ(run(4 * 6 * 8,
                [=](sycl::handler& h, auto a) {
    h.parallel_for(sycl::nd_range<3>({4, 6, 8}, {2, 3, 4}), [=](sycl::nd_item<3> i) {
      std::size_t place = 0;
      for (int d = 0; d < dimensions; ++d)
        place = place * (i.get_local_range(d) * i.get_group_range(d)) +
                i.get_group(d) * i.get_local_range(d) + i.get_local_id(d);
      a[place] = int(i.get_global_linear_id()) + 0 * int(i.get_sub_group().get_max_local_range()[0]);
    });
  }),
            counted(4 * 6 * 8));
}

TEST(parallel_for, in_two_and_three_dimensions) {
  EXPECT_EQ(run(35 * 3,
                [](sycl::handler& h, auto a) {
    h.parallel_for({35, 3}, [=](sycl::item<2> i) { a[i.get_linear_id()] = int(i[0] * 3 + i[1]); });
  }),
            counted(105));
  EXPECT_EQ(run(5 * 7 * 3,
                [](sycl::handler& h, auto a) {
    h.parallel_for(sycl::range(5, 7, 3), [=](sycl::item<3> i) {
      a[i.get_linear_id()] = int((i.get_id(0) * i.get_range(1) + i.get_id(1)) * i.get_range(2) + i.get_id(2));
    });
  }),
            counted(105));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(parallel_for, with_a_deprecated_offset) {
  auto want = std::vector<int>(20, -1);
  for (int i = 5; i < 15; ++i) want[i] = i - 5;
  EXPECT_EQ(run(20,
                [](sycl::handler& h, auto a) {
    h.parallel_for(sycl::range<1>(10), sycl::id<1>(5),
                   [=](sycl::item<1> i) { a[i] = int(i.get_linear_id()); });
  }),
            want);
  EXPECT_EQ(run(20,
                [](sycl::handler& h, auto a) {
    h.parallel_for(sycl::nd_range<1>(10, 5, 5),
                   [=](sycl::nd_item<1> i) { a[i.get_global_id(0)] = int(i.get_global_linear_id()); });
  }),
            want);
}
#pragma GCC diagnostic pop

TEST(parallel_for, over_nothing_runs_nothing_and_completes) {
  EXPECT_EQ(run(3, [](sycl::handler& h, auto a) { h.parallel_for(0, [=](sycl::id<1> i) { a[i] = 1; }); }),
            std::vector<int>(3, -1));
  EXPECT_EQ(run(3,
                [](sycl::handler& h, auto a) {
    h.parallel_for(sycl::nd_range<2>({0, 4}, {3, 4}), [=](sycl::nd_item<2>) { a[0] = 1; });
  }),
            std::vector<int>(3, -1));
}

TEST(single_task, runs_once) {
  EXPECT_EQ(run(1, [](sycl::handler& h, auto a) { h.single_task([=] { a[0] += 2; }); }), std::vector<int>{1});
}

TEST(nd_range, gives_every_item_its_ids) {
  sycl::queue q;
  sycl::buffer<int, 2> b(sycl::range<2>(12, 8));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(sycl::nd_range<2>({12, 8}, {3, 4}), [=](sycl::nd_item<2> i) {
      const auto g = i.get_group();
      const bool right = i.get_global_id(0) == i.get_group(0) * 3 + i.get_local_id(0) &&
                         i.get_global_id(1) == i.get_group(1) * 4 + i.get_local_id(1) &&
                         g.get_group_id() == sycl::id<2>(i.get_group(0), i.get_group(1)) &&
                         i.get_local_range() == sycl::range<2>(3, 4) &&
                         i.get_group_range() == sycl::range<2>(4, 2) &&
                         i.get_global_range() == sycl::range<2>(12, 8) &&
                         i.get_global_linear_id() == i.get_global_id(0) * 8 + i.get_global_id(1) &&
                         i.get_local_linear_id() == i.get_local_id(0) * 4 + i.get_local_id(1) &&
                         g.get_group_linear_id() == i.get_group(0) * 2 + i.get_group(1) &&
                         g.leader() == (i.get_local_linear_id() == 0);
      a[i.get_global_id()] = right ? 1 : 0;
    });
  });
  sycl::host_accessor a(b, sycl::read_only);
  for (const int v : a) EXPECT_EQ(v, 1);
}

TEST(local_accessor, is_shared_by_the_group) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(256)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<int> tile(sycl::range<1>(32), h);
    sycl::local_accessor<double, 2> unused(sycl::range<2>(2, 2), h);
    h.parallel_for(sycl::nd_range<1>(256, 32), [=](sycl::nd_item<1> i) {
      const auto l = i.get_local_id(0);
      tile[l] = int(i.get_global_id(0));
      sycl::group_barrier(i.get_group());
      a[i.get_global_id(0)] = tile[31 - l];
    });
  });
  const auto got = contents(b);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(got[i], i / 32 * 32 + 31 - i % 32);
}

TEST(barrier, inside_a_uniform_loop_reduces_a_group) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(8)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    sycl::local_accessor<int, 1> sums(32, h);
    sycl::local_accessor<int, 0> last(h);
    h.parallel_for(sycl::nd_range<1>(8 * 32, 32), [=](sycl::nd_item<1> i) {
      const std::size_t l = i.get_local_id(0);
      sums[l] = int(i.get_global_id(0));
      for (std::size_t step = 16; step > 0; step /= 2) {
        sycl::group_barrier(i.get_group());
        if (l < step) sums[l] += sums[l + step];
      }
      if (l == 0) last = sums[0];
      sycl::group_barrier(i.get_group());
      if (l == 5) a[i.get_group(0)] = last;
    });
  });
  const auto got = contents(b);
  for (int g = 0; g < 8; ++g) EXPECT_EQ(got[g], 32 * (32 * g) + 496);
}

TEST(local_accessor, of_two_dimensions_transposes_tiles) {
  sycl::queue q;
  constexpr std::size_t n = 64, t = 8;
  auto data = counted(n * n);
  std::vector<int> out(n * n);
  {
    sycl::buffer<int, 2> in(data.data(), sycl::range(n, n)), to(out.data(), sycl::range(n, n));
    q.submit([&](sycl::handler& h) {
      sycl::accessor r(in, h, sycl::read_only);
      sycl::accessor w(to, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<int, 2> tile(sycl::range<2>(t, t + 1), h);
      h.parallel_for(sycl::nd_range<2>({n, n}, {t, t}), [=](sycl::nd_item<2> i) {
        const auto y = i.get_local_id(0), x = i.get_local_id(1);
        tile[y][x] = r[i.get_global_id()];
        sycl::group_barrier(i.get_group());
        w[i.get_group(1) * t + y][i.get_group(0) * t + x] = tile[x][y];
      });
    });
  }
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) ASSERT_EQ(out[y * n + x], int(x * n + y));
  }
}

/// Six local accessors, more than a device is told the places of, each with its own length: one item sees
/// what all wrote.
void write_lengths(sycl::queue& q, sycl::buffer<int>& to, int at, const std::array<int, 6>& lengths) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor w(to, h, sycl::write_only);
    sycl::local_accessor<int> a(lengths[0], h), b(lengths[1], h), c(lengths[2], h), d(lengths[3], h),
        e(lengths[4], h), f(lengths[5], h);
    h.parallel_for<class write_all_lengths>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> item) {
      const sycl::local_accessor<int>* const all[] = {&a, &b, &c, &d, &e, &f};
      const int l = int(item.get_local_id(0));
      for (int i = 0; i < 6; ++i)
        for (int j = l; j < lengths[i]; j += 16) (*all[i])[j] = 1000 * i + j;
      sycl::group_barrier(item.get_group());
      if (l != 3) return;
      int sum = 0;
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < lengths[i]; ++j) sum += (*all[i])[j] == 1000 * i + j;
      w[at] = sum;
    });
  });
}

TEST(local_accessor, lengths_may_change_from_launch_to_launch_of_one_kernel) {
  sycl::queue q;
  const std::array<std::array<int, 6>, 5> lengths{{{8, 24, 32, 16, 40, 8},
                                                   {24, 8, 32, 16, 8, 40},
                                                   {8, 24, 32, 16, 40, 8},
                                                   {32, 24, 8, 40, 16, 8},
                                                   {1, 1, 1, 1, 1, 123}}};
  sycl::buffer<int> b(sycl::range(lengths.size()));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < lengths.size(); ++i) write_lengths(q, b, int(i), lengths[i]);
    EXPECT_EQ(contents(b), std::vector<int>(lengths.size(), 128));
  }
}

TEST(atomic_ref, counts_in_global_memory) {
  const auto got = run(4, [](sycl::handler& h, auto a) {
    h.parallel_for(1000, [=](sycl::id<1> i) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> cell(a[i[0] % 4]);
      cell.fetch_add(int(i[0] % 4) + 1);
    });
  });
  EXPECT_EQ(got, (std::vector<int>{249, 499, 749, 999}));
}

TEST(atomic_ref, of_every_operation) {
  const auto got = run(7, [](sycl::handler& h, auto a) {
    h.parallel_for(64, [=](sycl::id<1> i) {
      const auto at = [&](int k) {
        return sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(a[k]);
      };
      at(0).fetch_max(int(i[0]));
      at(1).fetch_min(-int(i[0]) - 2);
      at(2).fetch_and(~(1 << (i[0] % 8)));
      at(3).fetch_xor(1 << (i[0] % 31));
      int expected = at(4).load();
      while (!at(4).compare_exchange_strong(expected, expected + 2)) {}
      at(5).fetch_sub(3);
      if (i[0] == 0) at(6).exchange(42);
    });
  });
  int x = -1;
  for (int i = 0; i < 64; ++i) x ^= 1 << (i % 31);
  EXPECT_EQ(got, (std::vector<int>{63, -65, ~255, x, 127, -193, 42}));
}

// The compiler makes a copy of the operation for each order, the strongest too, which some devices lack.
TEST(atomic_ref, accepts_a_memory_order_known_only_at_run_time) {
  sycl::queue q;
  const auto orders = q.get_device().get_info<sycl::info::device::atomic_memory_order_capabilities>();
  const bool all = std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) != orders.end();
  std::vector<int> data{5, 0};
  sycl::buffer<int> b(data);
  const sycl::memory_order order = orders.front();
  const auto code = prism_test::error_of([&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.single_task([=] {
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> cell(a[0]);
        int expected = 5;
        const bool done = cell.compare_exchange_strong(expected, 9, order, sycl::memory_scope::device);
        cell.fetch_add(1, order);
        a[1] = expected + (done ? 10 : 0);
      });
    });
  });
  if (code == sycl::errc::success) EXPECT_EQ(contents(b), (std::vector<int>{10, 15}));
  else EXPECT_EQ(code, all ? sycl::errc::success : sycl::errc::kernel_not_supported);
}

/// Store buffering: each work-group stores to its own cell, then reads the other's. In one order of all of
/// these not both read what was there before.
template <typename Store, typename Load>
void expect_one_order(Store store, Load load) {
  sycl::queue q;
  constexpr int rounds = 2000;
  std::vector<int> cells(2 * rounds), seen(2 * rounds, -1), meeting(rounds);
  {
    sycl::buffer<int> b(cells), s(seen), m(meeting);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write), meet(m, h, sycl::read_write);
      sycl::accessor o(s, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(2, 1), [=](sycl::nd_item<1> it) {
        const int me = int(it.get_group(0));
        for (int i = 0; i < rounds; ++i) {
          // Both come here at about the same time, where they run at the same time at all.
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> both(meet[i]);
          both.fetch_add(1);
          for (int wait = 0; wait < 20 && both.load() < 2; ++wait) {}
          store(a[2 * i + me]);
          o[2 * i + me] = load(a[2 * i + 1 - me]);
        }
      });
    });
  }
  for (int i = 0; i < rounds; ++i) EXPECT_TRUE(seen[2 * i] == 1 || seen[2 * i + 1] == 1) << "round " << i;
}

TEST(atomic_fence, seq_cst_fences_have_one_total_order) {
  const auto orders =
      sycl::queue().get_device().get_info<sycl::info::device::atomic_fence_order_capabilities>();
  if (std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) == orders.end())
    GTEST_SKIP() << "this driver offers no memory_order::seq_cst";
  expect_one_order([](int& mine) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(mine).store(1);
    sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::device);
  }, [](int& other) {
    return sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(other).load();
  });
}

TEST(atomic_ref, seq_cst_operations_have_one_total_order) {
  const auto orders =
      sycl::queue().get_device().get_info<sycl::info::device::atomic_memory_order_capabilities>();
  if (std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) == orders.end())
    GTEST_SKIP() << "this driver offers no memory_order::seq_cst";
  expect_one_order([](int& mine) {
    sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::device>(mine).store(1);
  }, [](int& other) {
    return sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::device>(other).load();
  });
}

/// Every operation there is, in global and local memory, and in all scopes of a fence.
TEST(atomic_ref, seq_cst_operations_compute_the_same_as_relaxed_ones) {
  sycl::queue q;
  const auto orders = q.get_device().get_info<sycl::info::device::atomic_memory_order_capabilities>();
  if (std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) == orders.end())
    GTEST_SKIP() << "this driver offers no memory_order::seq_cst";
  std::vector<int> data{0, 100, 0, 7, 0};
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      sycl::local_accessor<int> l(1, h);
      h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
        using global = sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::device,
                                        sycl::access::address_space::global_space>;
        using local = sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::work_group,
                                       sycl::access::address_space::local_space>;
        const int id = int(it.get_local_id(0));
        if (id == 0) local(l[0]).store(0);
        sycl::group_barrier(it.get_group());
        global(a[0]).fetch_add(1);
        global(a[1]).fetch_sub(1);
        global(a[2]).fetch_max(id);
        int expected = global(a[4]).load();
        while (!global(a[4]).compare_exchange_strong(expected, expected + 2)) {}
        local(l[0]).fetch_add(id);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::work_item);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::sub_group);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::work_group);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::device);
        sycl::group_barrier(it.get_group());
        if (id == 0) global(a[3]).exchange(local(l[0]).load());
      });
    });
  }
  EXPECT_EQ(data, (std::vector<int>{64, 36, 63, 2016, 128}));
}

TEST(atomic_ref, works_in_local_memory) {
  sycl::queue q;
  sycl::buffer<unsigned> b{sycl::range<1>(4)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    sycl::local_accessor<unsigned> count(1, h);
    h.parallel_for(sycl::nd_range<1>(128, 32), [=](sycl::nd_item<1> i) {
      if (i.get_local_id(0) == 0) count[0] = 0;
      sycl::group_barrier(i.get_group());
      sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                       sycl::access::address_space::local_space>(count[0]) += i.get_local_id(0) & 1u;
      sycl::group_barrier(i.get_group());
      if (i.get_local_id(0) == 0) a[i.get_group(0)] = count[0];
    });
  });
  EXPECT_EQ(contents(b), std::vector<unsigned>(4, 16));
}

TEST(atomic_ref, adds_floats) {
  sycl::queue q;
  sycl::buffer<float> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 1.0f); });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for(512, [=](sycl::id<1>) {
      sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(a[0]).fetch_add(0.5f);
    });
  });
  EXPECT_EQ(contents(b)[0], 257.0f);
}

struct nested {
  short s;
  struct {
    double d; // kept, not computed with: also for devices without fp64
    std::array<int, 3> v;
  } inner;
  char c;
};

TEST(captures, of_scalars_structs_arrays_and_tables) {
  const int table[5] = {10, 20, 30, 40, 50};
  const nested n{7, {1.5, {100, 200, 300}}, 'x'};
  const bool flag = true;
  const std::int8_t small = -3;
  const std::uint64_t large = 1ull << 40;
  EXPECT_EQ(run(5,
                [=](sycl::handler& h, auto a) {
    h.parallel_for(5, [=](sycl::id<1> i) {
      a[i] = table[i[0]] + n.s + n.inner.v[i[0] % 3] + (n.c == 'x' ? 1 : 0) + (flag ? small : 0) +
             int(large >> 40);
    });
  }),
            (std::vector<int>{116, 226, 336, 146, 256}));
}

TEST(captures, of_several_buffers_of_different_types) {
  sycl::queue q;
  sycl::buffer<float> f{sycl::range<1>(32)};
  sycl::buffer<std::uint8_t> u{sycl::range<1>(32)};
  sycl::buffer<std::int64_t> l{sycl::range<1>(32)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor fa(f, h, sycl::write_only);
    sycl::accessor ua(u, h, sycl::write_only);
    sycl::accessor la(l, h, sycl::write_only);
    h.parallel_for(32, [=](sycl::id<1> i) {
      fa[i] = float(i[0]) / 2;
      ua[i] = std::uint8_t(i[0] * 9);
      la[i] = std::int64_t(i[0]) << 33;
    });
  });
  EXPECT_EQ(contents(f)[31], 15.5f);
  EXPECT_EQ(contents(u)[31], std::uint8_t(279));
  EXPECT_EQ(contents(l)[31], std::int64_t(31) << 33);
}

TEST(captures, of_an_array_of_accessors) {
  sycl::queue q;
  sycl::buffer<int> b0{sycl::range<1>(8)}, b1{sycl::range<1>(8)};
  q.submit([&](sycl::handler& h) {
    using acc = sycl::accessor<int, 1, sycl::access_mode::write>;
    const std::array<acc, 2> both{acc(b0, h), acc(b1, h)};
    h.parallel_for(8, [=](sycl::id<1> i) {
      both[0][i] = int(i[0]);
      both[1][i] = -int(i[0]);
    });
  });
  EXPECT_EQ(contents(b0)[7], 7);
  EXPECT_EQ(contents(b1)[7], -7);
}

template <typename T>
T collatz(T n) {
  T steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

TEST(code, of_loops_calls_switches_and_private_arrays) {
  const auto reference = [](int i) {
    int buckets[8] = {};
    for (int k = 0; k < 20; ++k) {
      if ((k * i) % 7 == 3) continue;
      if (k > 15 && i % 3 == 0) break;
      buckets[(k * i + k) & 7] += k;
    }
    int total = collatz(i + 1);
    for (int k = 0; k < 8; ++k) {
      switch (buckets[k] % 4) {
        case 0: total += k; break;
        case 1: total -= buckets[k]; [[fallthrough]];
        case 2: total ^= 5; break;
        default: total *= 3;
      }
    }
    return total;
  };
  std::vector<int> want(300);
  for (int i = 0; i < 300; ++i) want[i] = reference(i);
  EXPECT_EQ(
      run(300, [=](sycl::handler& h, auto a) { h.parallel_for(300, [=](int i) { a[i] = reference(i); }); }),
      want);
}

// Compilers may count in 32 bits where the bound has no more: the last step then passes 2^32.
TEST(code, of_counters_that_reach_the_32_bit_limit) {
  struct loop {
    std::size_t start, step;
    std::uint32_t bound;
  };
  constexpr std::uint32_t most = 0xffffffffu;
  const std::vector<loop> loops = {{0, 1, 0},
                                   {0, 1, 5},
                                   {3, 7, 3},
                                   {std::size_t(1) << 32, 1, most},
                                   {most - 5, 1, most},
                                   {most - 5, 4, most},
                                   {0, most, most},
                                   {1, most - 1, most},
                                   {7, std::size_t(1) << 31, most},
                                   {7, std::size_t(1) << 32, most},
                                   {7, (std::size_t(1) << 32) + 1, most},
                                   {most - 1, ~std::size_t(0) - 1, most}, // from here down
                                   {7, ~std::size_t(0), most},
                                   {8, ~std::size_t(0) - 2, 9},
                                   {5, ~std::size_t(0) << 32, 9},
                                   {5, (~std::size_t(0) << 32) + 1, 9},
                                   {0, ~std::size_t(0), 1}};
  struct seen {
    std::size_t rounds = 0, sum = 0, products = 0, last = 0, plain = 0;
  };
  std::vector<seen> expected(loops.size()), found(loops.size());
  const auto run = [](const loop& asked, seen& out) {
    for (std::size_t i = asked.start; i < asked.bound; i += asked.step) {
      ++out.rounds;
      out.sum += i;
      out.products ^= (i + 3) * asked.step;
      out.last = i + asked.step;
      if (out.rounds == 9) break;
    }
    if (out.rounds < 9)
      for (std::size_t i = asked.start; i < asked.bound; i += asked.step) out.plain += i; // one way out
  };
  for (std::size_t i = 0; i < loops.size(); ++i) run(loops[i], expected[i]);
  {
    sycl::buffer<loop> from(loops.data(), sycl::range<1>(loops.size()));
    sycl::buffer<seen> to(found.data(), sycl::range<1>(found.size()));
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor asked(from, h, sycl::read_only);
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(loops.size(), [=](sycl::id<1> i) {
        seen mine;
        run(asked[i], mine);
        out[i] = mine;
      });
    });
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    EXPECT_EQ(found[i].rounds, expected[i].rounds) << i;
    EXPECT_EQ(found[i].sum, expected[i].sum) << i;
    EXPECT_EQ(found[i].products, expected[i].products) << i;
    EXPECT_EQ(found[i].last, expected[i].last) << i;
    EXPECT_EQ(found[i].plain, expected[i].plain) << i;
  }
  // The same without the break, so that the loop is left at its end alone.
  for (const loop& asked : loops) {
    if (expected[std::size_t(&asked - loops.data())].rounds == 9) continue;
    constexpr std::size_t items = 3;
    std::vector<std::size_t> sums(items);
    const auto sum_from = [asked](std::size_t start) {
      std::size_t sum = 0;
      for (std::size_t i = start; i < asked.bound; i += asked.step) sum += i + 1;
      return sum;
    };
    {
      sycl::buffer<std::size_t> to(sums.data(), sycl::range<1>(items));
      sycl::queue().submit([&](sycl::handler& h) {
        const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
        h.parallel_for(items, [=](sycl::id<1> item) { out[item] = sum_from(asked.start + item); });
      });
    }
    for (std::size_t item = 0; item < items; ++item)
      EXPECT_EQ(sums[item], sum_from(asked.start + item))
          << asked.start << ' ' << asked.step << ' ' << asked.bound << ' ' << item;
  }
}

// LLVM writes such sums in closed form, with integers of 65 bits.
TEST(code, that_sums_its_counters) {
  std::vector<std::uint64_t> sums(100);
  const auto sum_to = [](std::uint64_t n, std::uint64_t factor) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) sum += i * factor;
    return sum;
  };
  {
    sycl::buffer<std::uint64_t> to(sums.data(), sycl::range<1>(sums.size()));
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sums.size(), [=](sycl::id<1> i) { out[i] = sum_to(i[0] * 977, 0x123456789abcdefu); });
    });
  }
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], sum_to(i * 977, 0x123456789abcdefu)) << i;
}

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

struct wide_results {
  uint128 sum, difference, product, shifted, quotient, remainder, chosen;
  int128 negated, halved;
  int order;
};

wide_results wide_arithmetic(uint128 a, uint128 b, unsigned amount) {
  wide_results r{};
  r.sum = a + b;
  r.difference = a - b;
  r.product = a * b;
  r.shifted = (a << amount) ^ (b >> amount);
  r.quotient = a / (b | 1);
  r.remainder = a % (b | 1);
  r.chosen = (a & b) > (a ^ b) ? a | b : ~a;
  r.negated = int128(-a);
  r.halved = int128(b) >> (127 - amount);
  r.order = (a < b) + 2 * (int128(a) < int128(b)) + 4 * (a == b) + 8 * (int128(a) >= -5);
  return r;
}

TEST(code, of_128_bit_integers) {
  const auto wide = [](std::uint64_t high, std::uint64_t low) { return uint128(high) << 64 | low; };
  const std::vector<uint128> values = {0,
                                       1,
                                       wide(0, ~0ull),
                                       wide(1, 0),
                                       wide(~0ull, ~0ull),
                                       wide(1ull << 63, 0),
                                       wide(0x0123456789abcdef, 0xfedcba9876543210),
                                       10007};
  const std::size_t n = values.size();
  std::vector<wide_results> found(n * n * 4);
  const unsigned amounts[4] = {0, 1, 64, 127};
  {
    sycl::buffer<uint128> from(values.data(), sycl::range<1>(n));
    sycl::buffer<wide_results> to(found.data(), sycl::range<1>(found.size()));
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor in(from, h, sycl::read_only);
      const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(found.size(), [=](sycl::id<1> i) {
        out[i] = wide_arithmetic(in[i / 4 / n], in[i / 4 % n], amounts[i % 4]);
      });
    });
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const wide_results expected = wide_arithmetic(values[i / 4 / n], values[i / 4 % n], amounts[i % 4]);
    EXPECT_TRUE(found[i].sum == expected.sum && found[i].difference == expected.difference &&
                found[i].product == expected.product)
        << i;
    EXPECT_TRUE(found[i].shifted == expected.shifted && found[i].chosen == expected.chosen &&
                found[i].order == expected.order)
        << i;
    EXPECT_TRUE(found[i].quotient == expected.quotient && found[i].remainder == expected.remainder) << i;
    EXPECT_TRUE(found[i].negated == expected.negated && found[i].halved == expected.halved) << i;
  }
}

TEST(code, of_float_math) {
  sycl::queue q;
  sycl::buffer<float> b{sycl::range<1>(100)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    h.parallel_for(100, [=](sycl::id<1> i) {
      const float x = float(i[0]) * 0.1f;
      a[i] = sycl::sqrt(x) + sycl::fmax(x, 3.0f);
    });
  });
  const auto got = contents(b);
  for (int i = 0; i < 100; ++i) EXPECT_NEAR(got[i], std::sqrt(i * 0.1f) + std::fmax(i * 0.1f, 3.0f), 1e-5f);
}

TEST(code, in_double_runs_or_is_refused_by_name) {
  sycl::queue q;
  sycl::buffer<double> b{sycl::range<1>(10)};
  const auto submit = [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::write_only);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = 1.0 / (double(i[0]) + 1.0); });
    });
  };
  if (q.get_device().has(sycl::aspect::fp64)) {
    submit();
    EXPECT_EQ(contents(b)[2], 1.0 / 3.0);
  } else {
    std::string text;
    EXPECT_EQ(prism_test::error_of(submit, &text), sycl::errc::kernel_not_supported);
    EXPECT_NE(text.find("fp64"), std::string::npos) << text;
  }
}

} // namespace
