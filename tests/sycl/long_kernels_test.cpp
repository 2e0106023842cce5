// Launches in slices (PRISM_SLICE): kernels see the ids and counts of the whole launch, and its event, times,
// text and results are those of one command.
#include "tests/sycl/common.hpp"

#include <sycl/ext/oneapi/experimental/graph.hpp>

#include <cstdlib>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

// The runtime reads it at its first use. Test entries of their own have a limit of time.
const bool in_slices = setenv("PRISM_SLICE", "3", 0) == 0;

/// What a work-item sees, as one number.
template <int D>
unsigned seen_by(sycl::nd_item<D> it) {
  unsigned all = 0;
  for (int d = 0; d < D; ++d)
    all = all * 31 + unsigned(it.get_group(d) * 7 + it.get_group_range(d) * 5 + it.get_local_id(d) +
                              it.get_global_range(d) * 3 + it.get_global_id(d));
  return all;
}

template <int D>
void check_nd_range(sycl::range<D> global, sycl::range<D> local) {
  sycl::queue q;
  std::vector<unsigned> out(global.size(), 0), expected(global.size());
  {
    sycl::buffer b(out);
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      h.parallel_for(sycl::nd_range<D>(global, local),
                     [=](sycl::nd_item<D> it) { a[it.get_global_linear_id()] += seen_by(it); });
    });
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::size_t left = i, id[3] = {};
    for (int d = D; d-- > 0; left /= global[d]) id[d] = left % global[d];
    unsigned all = 0;
    for (int d = 0; d < D; ++d)
      all = all * 31 + unsigned(id[d] / local[d] * 7 + global[d] / local[d] * 5 + id[d] % local[d] +
                                global[d] * 3 + id[d]);
    expected[i] = all;
  }
  EXPECT_EQ(out, expected);
}

TEST(slices, have_the_ids_and_counts_of_the_whole_nd_range) {
  check_nd_range<1>({640}, {64});
  check_nd_range<2>({20, 48}, {2, 8});
  check_nd_range<2>({2, 512}, {1, 16});
  check_nd_range<3>({6, 10, 16}, {3, 2, 4});
  check_nd_range<3>({8, 2, 4}, {1, 2, 4});
}

template <int D>
void check_range(sycl::range<D> global) {
  sycl::queue q;
  std::vector<unsigned> out(global.size(), 0), expected(global.size());
  {
    sycl::buffer b(out);
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      h.parallel_for(global, [=](sycl::item<D> it) {
        unsigned all = 0;
        for (int d = 0; d < D; ++d) all = all * 31 + unsigned(it[d] * 3 + it.get_range(d));
        a[it.get_linear_id()] += all;
      });
    });
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::size_t left = i, id[3] = {};
    for (int d = D; d-- > 0; left /= global[d]) id[d] = left % global[d];
    for (int d = 0; d < D; ++d) expected[i] = expected[i] * 31 + unsigned(id[d] * 3 + global[d]);
  }
  EXPECT_EQ(out, expected);
}

TEST(slices, have_the_ids_of_the_whole_range) {
  check_range<1>({100'003});
  check_range<1>({1});
  check_range<2>({301, 77});
  check_range<3>({5, 67, 129});
}

TEST(slices, keep_groups_with_local_memory_whole) {
  sycl::queue q;
  constexpr std::size_t n = 4096, size = 64;
  std::vector<int> data = prism_test::counted(n), out(n);
  {
    sycl::buffer from(data), to(out);
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(from, h, sycl::read_only);
      const sycl::accessor b(to, h, sycl::write_only);
      const sycl::local_accessor<int> tile(size, h);
      h.parallel_for(sycl::nd_range<1>(n, size), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_local_id(0);
        tile[i] = a[it.get_global_id(0)];
        sycl::group_barrier(it.get_group());
        b[it.get_global_id(0)] =
            tile[size - 1 - i] + sycl::reduce_over_group(it.get_group(), tile[i], sycl::plus<>());
      });
    });
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = i / size * size;
    ASSERT_EQ(out[i], int(first + size - 1 - i % size + size * first + size * (size - 1) / 2)) << i;
  }
}

TEST(slices, of_a_reduction_give_one_result) {
  sycl::queue q;
  constexpr int n = 50'000;
  long long sum = 5;
  int largest = 0;
  {
    sycl::buffer<long long> s(&sum, 1);
    sycl::buffer<int> m(&largest, 1);
    q.submit([&](sycl::handler& h) {
      h.parallel_for(n, sycl::reduction(s, h, sycl::plus<>()), sycl::reduction(m, h, sycl::maximum<>()),
                     [=](sycl::id<1> i, auto& to, auto& most) {
        to += (long long)(i[0]);
        most.combine(int(i[0] * 7919 % n));
      });
    });
  }
  EXPECT_EQ(sum, 5 + (long long)(n) * (n - 1) / 2);
  EXPECT_EQ(largest, n - 1);
}

TEST(slices, of_hierarchical_kernels_have_their_groups) {
  sycl::queue q;
  std::vector<int> out(96, 0);
  {
    sycl::buffer b(out);
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      h.parallel_for_work_group(sycl::range<1>(12), sycl::range<1>(8), [=](sycl::group<1> g) {
        int base = int(g.get_group_id(0) * 100 + g.get_group_range(0));
        g.parallel_for_work_item([&](sycl::h_item<1> it) { a[it.get_global_id(0)] = base; });
      });
    });
  }
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], int(i / 8 * 100 + 12)) << i;
}

TEST(slices, write_text_once) {
  sycl::queue q;
  prism_test::printed_text printed;
  q.parallel_for(sycl::nd_range<1>(160, 16), [=](sycl::nd_item<1> it) {
    if (it.get_local_id(0) == 3) exp::printf("group %d;", int(it.get_group(0)));
  });
  q.wait();
  const std::string text = printed.take();
  for (int g = 0; g < 10; ++g) {
    const std::string one = "group " + std::to_string(g) + ";";
    EXPECT_NE(text.find(one), text.npos) << text;
    EXPECT_EQ(text.find(one), text.rfind(one)) << text;
  }
}

TEST(slices, have_one_event_with_the_times_of_the_whole) {
  sycl::queue q{
      sycl::property_list{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()}};
  constexpr std::size_t n = 64 * 400;
  if (!q.get_device().has(sycl::aspect::usm_device_allocations)) GTEST_SKIP() << "the device has no USM";
  int* const data = sycl::malloc_device<int>(n, q);
  q.fill(data, 1, n).wait();
  const auto run = [&] {
    return q.parallel_for(sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> it) {
      int value = data[it.get_global_id(0)];
      for (int k = 0; k < 500; ++k) value = value * 3 + k;
      data[it.get_global_id(0)] = value;
    });
  };
  sycl::event first = run(), second = run();
  second.wait();
  namespace times = sycl::info::event_profiling;
  EXPECT_LE(first.get_profiling_info<times::command_submit>(),
            first.get_profiling_info<times::command_start>());
  EXPECT_LT(first.get_profiling_info<times::command_start>(), first.get_profiling_info<times::command_end>());
  EXPECT_LE(first.get_profiling_info<times::command_end>(),
            second.get_profiling_info<times::command_start>());
  EXPECT_EQ(first.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  sycl::free(data, q);
}

TEST(slices, are_waited_for_by_later_commands_of_other_queues) {
  sycl::queue a, b;
  constexpr std::size_t n = 64 * 50;
  std::vector<int> out(n, 1);
  {
    sycl::buffer data(out);
    for (int k = 0; k < 6; ++k)
      (k % 2 == 0 ? a : b).submit([&](sycl::handler& h) {
        const sycl::accessor w(data, h);
        h.parallel_for(sycl::nd_range<1>(n, 64),
                       [=](sycl::nd_item<1> it) { w[it.get_global_id(0)] = w[it.get_global_id(0)] * 2 + k; });
      });
  }
  int expected = 1;
  for (int k = 0; k < 6; ++k) expected = expected * 2 + k;
  EXPECT_EQ(out, std::vector<int>(n, expected));
}

// With PRISM_WRAP=fault(fail=2), a test entry of its own: the second submission, a slice, fails.
TEST(failing_slice, fails_the_command_by_name_and_the_queue_goes_on) {
  const char* const wrap = std::getenv("PRISM_WRAP");
  if (wrap == nullptr || std::string(wrap).find("fail=2") == std::string::npos)
    GTEST_SKIP() << "PRISM_WRAP has no fault";
  prism_test::error_log errors;
  sycl::queue q(errors.handler());
  for (int launch = 0; launch < 2; ++launch) {
    q.parallel_for<class slice_that_fails>(sycl::nd_range<1>(640, 64), [](sycl::nd_item<1>) {});
    q.wait_and_throw();
  }
  ASSERT_EQ(errors.texts.size(), 1u);
  EXPECT_NE(errors.texts[0].find("injected fault"), std::string::npos) << errors.texts[0];
  EXPECT_NE(errors.texts[0].find("slice_that_fails"), std::string::npos) << errors.texts[0];
}

TEST(slices, of_kernels_in_graphs) {
  sycl::queue q;
  constexpr std::size_t n = 64 * 50;
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations))
    GTEST_SKIP() << "the device has no shared USM";
  int* const data = sycl::malloc_shared<int>(n, q);
  std::fill_n(data, n, 1);
  exp::command_graph<exp::graph_state::modifiable> graph(q);
  sycl::queue recorder{q.get_context(), q.get_device(), sycl::property::queue::in_order()};
  graph.begin_recording(recorder);
  for (int k = 0; k < 3; ++k)
    recorder.parallel_for(sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> it) {
      data[it.get_global_id(0)] = data[it.get_global_id(0)] * 3 + int(it.get_group_range(0));
    });
  graph.end_recording();
  auto ready = graph.finalize();
  for (int run = 0; run < 2; ++run) q.ext_oneapi_graph(ready).wait();
  int expected = 1;
  for (int k = 0; k < 6; ++k) expected = expected * 3 + 50;
  EXPECT_EQ(std::vector<int>(data, data + n), std::vector<int>(n, expected));
  sycl::free(data, q);
}

} // namespace
