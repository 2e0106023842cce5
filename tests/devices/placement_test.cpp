// On which processors the threads that help with a launch sleep, and that they run where the user lets them.
#include "devices/host/parallel.hpp"
#include "devices/host/placement.hpp"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace prism::devices::host {
namespace {

using namespace std::chrono_literals;

cpu_set_t affinity_of(pid_t thread) {
  cpu_set_t out;
  CPU_ZERO(&out);
  EXPECT_EQ(sched_getaffinity(thread, sizeof out, &out), 0);
  return out;
}
bool same(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b); }

TEST(placement, helpers_are_packed_if_they_slept_and_came_late_or_not_at_all) {
  EXPECT_TRUE(shows_packing({true, 2ms, std::nullopt}));
  EXPECT_TRUE(shows_packing({true, 2ms, 1ms}));
  EXPECT_FALSE(shows_packing({true, 2ms, 60us})) << "that is how long it takes to wake";
  EXPECT_FALSE(shows_packing({true, 100us, std::nullopt})) << "the work had ended before a helper could come";
  EXPECT_FALSE(shows_packing({false, 2ms, std::nullopt})) << "helpers that waited awake had other work";
}

/// On a thread that ends: what a sleeping helper may use, and what it may use when it has work.
template <typename Between>
void sleep_once(cpu_set_t& asleep, cpu_set_t& awake, int launching, const Between& between) {
  std::thread([&] {
    prepare_sleep(launching);
    asleep = affinity_of(0);
    between();
    finish_sleep();
    awake = affinity_of(0);
  }).join();
}
int first_of(const cpu_set_t& set) {
  int out = 0;
  while (!CPU_ISSET(out, &set)) ++out;
  return out;
}

TEST(placement, a_helper_that_was_packed_sleeps_on_other_processors_than_the_launching_threads) {
  const cpu_set_t usual = affinity_of(0);
  const int launching = first_of(usual);
  cpu_set_t expected = usual, asleep, awake;
  CPU_CLR(launching, &expected);
  if (CPU_COUNT(&expected) == 0) GTEST_SKIP() << "this machine has one processor";
  record_wake({true, 2ms, std::nullopt});
  sleep_once(asleep, awake, launching, [] {});
  EXPECT_TRUE(same(asleep, expected));
  EXPECT_TRUE(same(awake, usual));
}

TEST(placement, an_affinity_that_the_user_set_during_the_sleep_stays) {
  const cpu_set_t usual = affinity_of(0);
  if (CPU_COUNT(&usual) < 2) GTEST_SKIP() << "this machine has one processor";
  cpu_set_t one, asleep, awake;
  CPU_ZERO(&one);
  CPU_SET(first_of(usual), &one);
  record_wake({true, 2ms, std::nullopt});
  sleep_once(asleep, awake, first_of(usual), [&] { sched_setaffinity(0, sizeof one, &one); });
  EXPECT_TRUE(same(awake, one));
}

TEST(placement, a_helper_with_one_processor_keeps_it) {
  cpu_set_t one, asleep, awake;
  CPU_ZERO(&one);
  CPU_SET(first_of(affinity_of(0)), &one);
  record_wake({true, 2ms, std::nullopt});
  std::thread([&] {
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    prepare_sleep(first_of(one));
    asleep = affinity_of(0);
    finish_sleep();
    awake = affinity_of(0);
  }).join();
  EXPECT_TRUE(same(asleep, one));
  EXPECT_TRUE(same(awake, one));
}

TEST(placement, after_64_sleeps_helpers_sleep_as_linux_wants_until_one_comes_late_again) {
  const cpu_set_t usual = affinity_of(0);
  if (CPU_COUNT(&usual) < 2) GTEST_SKIP() << "this machine has one processor";
  std::this_thread::sleep_for(50ms); // helpers of earlier tests sleep
  record_wake({true, 2ms, std::nullopt});
  cpu_set_t asleep, awake;
  for (int sleep = 0; sleep < 64; ++sleep) {
    sleep_once(asleep, awake, first_of(usual), [] {});
    EXPECT_FALSE(same(asleep, usual));
  }
  sleep_once(asleep, awake, first_of(usual), [] {});
  EXPECT_TRUE(same(asleep, usual));
}

TEST(placement, parts_of_launches_run_with_the_usual_affinity) {
  if (numa_nodes().size() > 1) GTEST_SKIP() << "oneTBB binds threads to the NUMA nodes of this machine";
  const cpu_set_t usual = affinity_of(0);
  int placed = 0; // helpers that slept on fewer processors
  for (int launch = 0; launch < 20; ++launch) {
    record_wake({true, 2ms, std::nullopt});
    std::atomic<int> ran{0};
    parallel_for(0, 8, [&](std::uint64_t begin, std::uint64_t end) {
      EXPECT_TRUE(same(affinity_of(0), usual));
      const auto until = std::chrono::steady_clock::now() + (end - begin) * 50us;
      while (std::chrono::steady_clock::now() < until) {}
      ran += int(end - begin);
    });
    EXPECT_EQ(ran, 8);
    std::this_thread::sleep_for(5ms); // helpers sleep
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
      cpu_set_t its;
      const bool is_there = sched_getaffinity(std::stoi(each.path().filename()), sizeof its, &its) == 0;
      placed += is_there && !same(its, usual);
    }
    EXPECT_TRUE(same(affinity_of(0), usual)) << "the launching thread's own is never set";
  }
  EXPECT_TRUE(placed > 0 || CPU_COUNT(&usual) == 1);
}

} // namespace
} // namespace prism::devices::host
