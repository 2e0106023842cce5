// How long the threads that helped with a launch stay awake.
#include "devices/host/parallel.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>

namespace prism::devices::host {
namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST(parallel, threads_that_wait_for_the_next_launch_sleep_after_a_moment) {
  std::atomic<int> ran{0};
  for (int launch = 0; launch < 20; ++launch)
    parallel_for(0, 64, [&](std::uint64_t begin, std::uint64_t end) {
      const auto until = std::chrono::steady_clock::now() + 20us;
      while (std::chrono::steady_clock::now() < until) {}
      ran += int(end - begin);
    });
  EXPECT_EQ(ran, 20 * 64);
  const auto before = processor_time();
  std::this_thread::sleep_for(200ms);
  const auto each = (processor_time() - before) / std::max(1u, std::thread::hardware_concurrency());
  EXPECT_LT(each, 10ms) << "the longest wait is 0.2 ms, and oneTBB's own about as long";
}

TEST(parallel, work_that_begins_at_once_finds_the_waiting_threads) {
  // Each launch has two parts that wait for each other, so that a thread that did not come would be missed.
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "this machine has one processor";
  for (int launch = 0; launch < 200; ++launch) {
    std::atomic<int> arrived{0};
    parallel_for(0, 2, [&](std::uint64_t begin, std::uint64_t end) {
      if (end - begin == 2) return; // oneTBB gave both to one thread
      ++arrived;
      const auto until = std::chrono::steady_clock::now() + 10s;
      while (arrived < 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      EXPECT_EQ(arrived, 2);
    });
  }
}

} // namespace
} // namespace prism::devices::host
