// Kernel launches: every form of parallel_for and single_task, nd_range, local memory, barriers.
#include "tests/sycl/launch.hpp"

#include <array>

using prism_test::contents;
using prism_test::counted;
using prism_test::run;

namespace {

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

/// In a launch with groups of one, each work-item adds its number plus one to its element.
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
  const auto launch = [&](sycl::nd_range<1> items) { // the kernel uses its group id: other kernels run in
                                                     // larger groups than requested
    q.parallel_for(items, [=](sycl::nd_item<1> it) {
      if (it.get_group(0) + 1 == it.get_group_range(0)) *last = 1;
    });
    q.wait_and_throw();
  };
  launch({std::size_t{1} << 33, 1});
  ASSERT_EQ(log.texts.size(), 1u);
  EXPECT_NE(log.texts[0].find("8589934592 work-groups in one dimension"), std::string::npos) << log.texts[0];
  launch({4, 1}); // the queue still works
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

/// Six local accessors of different lengths, more than a device gets offsets for. One work-item checks what
/// all wrote.
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

} // namespace
