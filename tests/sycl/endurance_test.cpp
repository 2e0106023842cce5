// Many queues and events at one time, many commands one after another, long waits: all work, and neither memory nor a core is
// used up.
#include "tests/sycl/common.hpp"

#include <chrono>
#include <fstream>
#include <thread>
#include <time.h>

namespace {

/// Fewer where every call is watched (PRISM_TEST_QUICK).
std::size_t at_most(std::size_t count) { return std::getenv("PRISM_TEST_QUICK") ? count / 50 : count; }

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  status >> total >> resident;
  return resident * 4096;
}

double thread_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

sycl::event increment(sycl::queue& q, sycl::buffer<int>& b) {
  return q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.single_task([=] { a[0] += 1; });
  });
}

// The first: memory that other tests have used and freed would hide a leak.
TEST(endurance, memory_stays_flat_over_many_commands) {
  const std::size_t count = at_most(8'000);
  sycl::queue q;
  sycl::buffer<int> kept{sycl::range<1>(256)};
  const auto work = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      sycl::buffer<int> made{sycl::range<1>(64)};
      sycl::event e = increment(q, i % 2 == 0 ? kept : made);
      if (i % 100 == 99) e.wait();
    }
    q.wait_and_throw();
  };
  work(); // caches and pools are filled
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 3; ++round) work();
  // What one command keeps is 500 bytes at least.
  EXPECT_LT(resident_bytes(), before + 3 * count * 200 + (std::size_t(4) << 20));
}

TEST(endurance, a_thousand_queues_work_at_one_time) {
  const std::size_t count = at_most(1000);
  const sycl::context c{sycl::device()};
  std::vector<sycl::queue> queues;
  sycl::buffer<int> b{sycl::range<1>(count)};
  for (std::size_t i = 0; i < count; ++i) queues.emplace_back(c, sycl::device());
  for (int round = 1; round <= 2; ++round)
    for (std::size_t i = 0; i < count; ++i)
      queues[i].submit([&](sycl::handler& h) {
        const sycl::accessor a(b, h, sycl::range<1>(1), sycl::id<1>(i));
        h.single_task([=] { a[0] = round * int(i); });
      });
  for (sycl::queue& q : queues) q.wait_and_throw();
  const sycl::host_accessor a(b, sycl::read_only);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(a[i], 2 * int(i));
}

TEST(endurance, a_hundred_thousand_events_live_at_one_time) {
  const std::size_t count = at_most(100'000);
  sycl::queue q{sycl::property::queue::in_order()};
  const int zero = 0;
  sycl::buffer<int> b(&zero, 1);
  std::vector<sycl::event> events;
  for (std::size_t i = 0; i < count; ++i) events.push_back(increment(q, b));
  events.front().wait();
  events.back().wait();
  for (const sycl::event& e : events)
    ASSERT_EQ(e.get_info<sycl::info::event::command_execution_status>(), sycl::info::event_command_status::complete);
  EXPECT_EQ(std::size_t(sycl::host_accessor(b, sycl::read_only)[0]), count);
}

TEST(endurance, a_wait_burns_no_core) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(b, h, sycl::write_only_host_task);
    h.host_task([=] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      a[0] = 1;
    });
  });
  sycl::event e = increment(q, b);
  const double before = thread_seconds();
  e.wait();
  EXPECT_LT(thread_seconds() - before, 0.05); // of a second; on a busy machine who burns it gets a tenth
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 2);
}

} // namespace
