// PRISM_CHECK=access reports nothing for programs without mistakes. planted_mistakes_test.cpp has programs
// with mistakes.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace {

const int check_is_on = ::setenv("PRISM_CHECK", "access", 1); // read at the first submission

using reports = prism_test::logged_text;

class access_check : public testing::Test {
protected:
  void SetUp() override {
    SKIP_UNLESS_COMPILED("which memory a kernel uses");
    ASSERT_EQ(check_is_on, 0);
    SKIP_WITHOUT(q, usm_device_allocations);
    a = sycl::malloc_device<int>(100, q);
    b = sycl::malloc_device<int>(100, q);
  }
  void TearDown() override {
    q.wait();
    other.wait();
    if (a != nullptr) sycl::free(a, q);
    if (b != nullptr) sycl::free(b, q);
  }
  template <typename Name>
  sycl::event write(sycl::queue& on, int* to, const std::vector<sycl::event>& after = {},
                    std::size_t count = 100) {
    return on.parallel_for<Name>(sycl::range<1>(count), after, [=](sycl::id<1> i) { to[i] = int(i); });
  }
  template <typename Name>
  sycl::event move(sycl::queue& on, const int* from, int* to, const std::vector<sycl::event>& after = {}) {
    return on.parallel_for<Name>(sycl::range<1>(100), after, [=](sycl::id<1> i) { to[i] = from[i]; });
  }
  void expect_nothing(reports& heard) {
    const std::string text = heard.take();
    EXPECT_EQ(text.find("PRISM_CHECK"), std::string::npos) << text;
  }

  sycl::queue q, other{q.get_context(), q.get_device()};
  int *a = nullptr, *b = nullptr;
};

TEST_F(access_check, a_wait_of_another_thread_for_the_same_queue_changes_nothing) {
  SKIP_WITHOUT(q, usm_host_allocations);
  constexpr std::size_t count = 64;
  int* const seen = sycl::malloc_host<int>(count, q);
  int* const out = sycl::malloc_device<int>(count, q);
  reports heard;
  std::atomic<bool> over = false;
  std::thread waiter([&] {
    while (!over) q.wait();
  });
  sycl::event last;
  for (int turn = 0; turn < 200; ++turn) {
    last = q.parallel_for<class waiting_write>(sycl::range<1>(count), last, [=](sycl::id<1> i) {
      unsigned slow = turn; // the next command is submitted before this one writes
      for (int k = 0; k < 20000; ++k) slow = slow * 1664525u + 1013904223u;
      seen[i] = int(slow);
    });
    last = q.parallel_for<class waiting_read>(sycl::range<1>(count), last,
                                              [=](sycl::id<1> i) { out[i] = seen[i]; });
    last.wait(); // the other thread's wait ends too, while this one submits the next commands
  }
  over = true;
  waiter.join();
  sycl::free(seen, q);
  sycl::free(out, q);
  expect_nothing(heard);
}

TEST_F(access_check, order_by_queue_events_barriers_and_waits_is_enough) {
  sycl::queue row(q.get_context(), q.get_device(), sycl::property::queue::in_order());
  reports heard;
  write<class row_a>(row, a);
  move<class row_b>(row, a, b);
  row.wait();
  const sycl::event first = write<class event_a>(q, a);
  const sycl::event second = move<class event_b>(other, a, b, {first});
  const sycl::event last =
      write<class event_c>(q, a, {second}); // depends on the first one through the second
  write<class event_d>(other, b, {last});
  other.wait();
  write<class barrier_a>(q, a);
  q.ext_oneapi_submit_barrier();
  move<class barrier_b>(q, a, b);
  q.wait();
  write<class wait_a>(q, a).wait();
  write<class wait_b>(other, a).wait();
  expect_nothing(heard);
}
TEST_F(access_check, a_wait_orders_all_earlier_commands) {
  reports heard;
  const sycl::event first = write<class before_a>(q, a);
  sycl::event second = move<class before_b>(other, a, b, {first});
  second.wait();
  write<class before_c>(q, a);
  int* const short_lived = sycl::malloc_device<int>(100, q);
  write<class before_d>(q, short_lived).wait();
  sycl::free(short_lived, q);
  expect_nothing(heard);
}
TEST_F(access_check, buffers_order_the_commands_that_use_them) {
  sycl::buffer<int> order(sycl::range<1>(1));
  int* const to = a;
  reports heard;
  for (int i = 0; i < 3; ++i)
    q.submit([&](sycl::handler& h) {
      const sycl::accessor held(order, h, sycl::read_write);
      h.single_task<class held_writer>([=] { to[0] = held[0] = 1; });
    });
  { const sycl::host_accessor done(order); }
  write<class after_buffers>(other, a);
  expect_nothing(heard);
}
TEST_F(access_check, readers_and_disjoint_ranges_need_no_order) {
  int* const c = sycl::malloc_device<int>(100, q);
  write<class shared_writer>(q, a).wait();
  reports heard;
  move<class one_reader>(q, a, b);
  move<class other_reader>(other, a, c);
  q.wait();
  other.wait();
  q.fill(a, 1, 50);
  q.fill(a + 50, 2, 50);
  write<class half_one>(q, b + 50, {}, 50); // the check does not know how far these kernels reach
  write<class half_two>(q, b, {}, 50);
  q.wait();
  sycl::free(c, q);
  expect_nothing(heard);
}
TEST_F(access_check, executions_of_one_graph_are_ordered) {
  prism::command_graph graph(q);
  int* const to = a;
  graph.add(
      [&](sycl::handler& h) { h.parallel_for<class run_writer>(100, [=](sycl::id<1> i) { to[i] += 1; }); });
  auto ready = graph.finalize();
  reports heard;
  prism::execute_graph(q, ready);
  const sycl::event run = prism::execute_graph(other, ready);
  move<class run_reader>(q, a, b, {run});
  expect_nothing(heard);
}

TEST_F(access_check, the_host_may_write_after_a_wait) {
  std::vector<int> host(100, 1);
  reports heard;
  q.copy(host.data(), a, 100).wait();
  host[0] = 2;
  const sycl::event there = q.copy(host.data(), a, 100);
  const sycl::event more = move<class round_trip>(q, a, b, {there});
  q.submit([&](sycl::handler& h) {
    h.depends_on(more);
    h.copy(b, host.data(), 100);
  }).wait();
  host[0] = 3;
  expect_nothing(heard);
}
TEST_F(access_check, commands_may_overwrite_the_source_of_earlier_copies) {
  std::vector<int> host(100, 1);
  reports heard;
  const sycl::event first = q.copy(host.data(), a, 100);
  const sycl::event second = q.submit([&](sycl::handler& h) {
    h.depends_on(first);
    h.host_task([&] { host[50] = 7; });
  });
  q.submit([&](sycl::handler& h) {
    h.depends_on(second);
    h.copy(host.data(), b, 100);
  });
  q.wait();
  const sycl::event third = q.copy(host.data(), a, 100);
  const sycl::event fourth = write<class other_content>(q, b, {third});
  q.submit([&](sycl::handler& h) {
    h.depends_on(fourth);
    h.copy(b, host.data(), 100);
  });
  q.wait();
  expect_nothing(heard);
}
TEST_F(access_check, the_host_may_use_shared_memory_after_a_wait) {
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* const shared = sycl::malloc_shared<int>(100, q);
  reports heard;
  for (int round = 0; round < 3; ++round) {
    std::fill_n(shared, 100, round);
    move<class shared_rounds>(q, shared, a).wait();
  }
  write<class shared_writer>(q, shared).wait();
  shared[0] = 9;
  sycl::free(shared, q);
  expect_nothing(heard);
}
inline int twice(const int* from, std::size_t i) {
  return from[i] * 2;
} // called by host code and by a kernel
TEST_F(access_check, the_host_may_use_memory_that_the_kernel_only_reads) {
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* const shared = sycl::malloc_shared<int>(100, q);
  std::fill_n(shared, 100, 1);
  reports heard;
  write<class half_writer>(q, shared, {}, 50);
  int sum = std::accumulate(shared + 50, shared + 100, 0);
  for (std::size_t i = 50; i < 100; ++i) shared[i] += int(i);
  for (std::size_t i = 50; i < 100; ++i) sum += shared[i];
  q.wait();
  move<class only_reader>(q, shared, a);
  for (std::size_t i = 0; i < 100; ++i) sum += shared[i];
  q.wait();
  const sycl::event first =
      write<class first_half>(q, shared, {}, 50); // the next kernel's changes do not belong to this one
  sum += shared[60];
  q.parallel_for<class second_half>(sycl::range<1>(50), first, [=](sycl::id<1> i) { shared[50 + i] = 7; });
  q.wait();
  EXPECT_NE(sum, 0);
  expect_nothing(heard);
  sycl::free(shared, q);
}
TEST_F(access_check, the_host_may_use_memory_of_complete_events) {
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* const shared = sycl::malloc_shared<int>(100, q);
  sycl::buffer<int> data(sycl::range<1>(100));
  reports heard;
  write<class wait_for_queue>(q, shared);
  q.wait();
  int sum = twice(shared, 0);
  const sycl::event polled = write<class wait_by_polling>(q, shared);
  while (polled.get_info<sycl::info::event::command_execution_status>() !=
         sycl::info::event_command_status::complete) {}
  sum += twice(shared, 0);
  write<class wait_until_empty>(q, shared);
  while (!q.khr_empty()) {}
  sum += twice(shared, 0);
  sycl::event last = q.parallel_for<class both_call>(sycl::range<1>(100),
                                                     [=](sycl::id<1> i) { shared[i] = twice(shared, i); });
  last = q.submit([&](sycl::handler& h) {
    h.depends_on(last);
    h.host_task([=] { shared[1] += shared[0]; });
  });
  last = write<class after_task>(q, shared, {last});
  last.wait();
  shared[0] = sum;
  q.submit([&](sycl::handler& h) {
    const sycl::accessor to(data, h, sycl::write_only);
    h.parallel_for<class with_buffer>(100, [=](sycl::id<1> i) { shared[i] = to[i] = 3; });
  });
  const sycl::host_accessor known(data, sycl::read_only);
  EXPECT_EQ(known[0] + shared[0], 6);
  expect_nothing(heard);
  q.wait();
  sycl::free(shared, q);
}
TEST_F(access_check, atomics_need_no_order) {
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* const flag = sycl::malloc_shared<int>(1, q);
  *flag = 0;
  reports heard;
  q.single_task<class flag_setter>([=] {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::system>(*flag).store(1);
  });
  __atomic_load_n(flag, __ATOMIC_RELAXED);
  q.wait();
  EXPECT_EQ(*flag, 1);
  expect_nothing(heard);
  sycl::free(flag, q);
}

TEST_F(access_check, read_only_buffers_may_share_host_memory) {
  std::vector<int> data(100, 1);
  int* const to = a;
  reports heard;
  {
    sycl::buffer<int> one(data.data(), sycl::range<1>(100)), two(data.data(), sycl::range<1>(100));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(one, h, sycl::read_only), y(two, h, sycl::read_only);
      h.parallel_for<class both_readers>(100, [=](sycl::id<1> i) { to[i] = x[i] + y[i]; });
    });
    q.wait();
  }
  {
    sycl::buffer<int> alone(data.data(), sycl::range<1>(100));
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(alone, h, sycl::write_only);
      h.parallel_for<class alone_writer>(100, [=](sycl::id<1> i) { x[i] = 2; });
    });
  }
  q.copy(data.data(), a, 100).wait();
  data[0] = 3;
  q.copy(a, data.data(), 100).wait();
  expect_nothing(heard);
}

} // namespace
