// Which processors the threads of a launch wake on, and that they keep the affinity that the user gave them.
#include "devices/host/parallel.hpp"
#include "devices/host/placement.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace prism::devices::host {
namespace {

cpu_set_t set_of(std::initializer_list<int> processors) {
  cpu_set_t out;
  CPU_ZERO(&out);
  for (const int each : processors) CPU_SET(each, &out);
  return out;
}

bool same(const cpu_set_t& a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b); }

TEST(placement, a_helper_with_a_processor_of_its_own_stays_there) {
  helper_record helpers[] = {{1, true}, {2, true}};
  EXPECT_TRUE(same(taken_processors(helpers, 0, true), set_of({0, 1, 2})));
  EXPECT_FALSE(helpers[0].moves || helpers[1].moves);
}

TEST(placement, a_helper_leaves_the_processor_of_the_launching_thread_and_that_of_an_earlier_helper) {
  helper_record helpers[] = {{0, true}, {2, true}, {2, true}};
  EXPECT_TRUE(same(taken_processors(helpers, 0, true), set_of({0, 2})));
  EXPECT_TRUE(helpers[0].moves);
  EXPECT_FALSE(helpers[1].moves);
  EXPECT_TRUE(helpers[2].moves);
}

TEST(placement, a_helper_that_did_not_come_or_never_ran_needs_a_processor) {
  helper_record helpers[] = {{1, false}, {-1, true}};
  EXPECT_TRUE(same(taken_processors(helpers, 0, true), set_of({0})));
  EXPECT_TRUE(helpers[0].moves && helpers[1].moves);
}

TEST(placement, no_helper_is_trusted_where_threads_wake_on_one_processor) {
  helper_record helpers[] = {{1, true}};
  EXPECT_TRUE(same(taken_processors(helpers, 0, false), set_of({0})));
  EXPECT_TRUE(helpers[0].moves);
}

TEST(placement, each_helper_gets_another_processor_where_it_ran_last_if_it_can) {
  const cpu_set_t usual = set_of({0, 1, 2, 3});
  cpu_set_t taken = set_of({0});
  EXPECT_TRUE(same(*processor_for({2, false}, usual, taken, 0), set_of({2})));
  EXPECT_TRUE(same(*processor_for({2, false}, usual, taken, 0), set_of({1})));
  EXPECT_TRUE(same(*processor_for({0, true}, usual, taken, 0), set_of({3})));
  EXPECT_TRUE(same(taken, usual));
  EXPECT_TRUE(same(*processor_for({-1, true}, usual, taken, 0), set_of({1, 2, 3}))) << "none is left";
}

TEST(placement, a_helper_stays_on_the_processors_that_the_user_gave_it) {
  cpu_set_t taken = set_of({0});
  EXPECT_TRUE(same(*processor_for({1, false}, set_of({0, 5}), taken, 0), set_of({5})));
  EXPECT_FALSE(processor_for({0, true}, set_of({0}), taken, 0).has_value()) << "it has only this one";
}

TEST(placement, threads_have_their_usual_affinity_after_launches) {
  if (numa_nodes().size() > 1) GTEST_SKIP() << "oneTBB binds threads to the NUMA nodes of this machine";
  cpu_set_t usual;
  ASSERT_EQ(sched_getaffinity(0, sizeof usual, &usual), 0);
  for (int launch = 0; launch < 30; ++launch) {
    std::atomic<int> ran{0};
    parallel_for(0, 8, [&](std::uint64_t begin, std::uint64_t end) {
      cpu_set_t here;
      EXPECT_EQ(sched_getaffinity(0, sizeof here, &here), 0);
      EXPECT_TRUE(CPU_EQUAL(&here, &usual)) << "in a part";
      const auto until = std::chrono::steady_clock::now() + (end - begin) * std::chrono::microseconds(50);
      while (std::chrono::steady_clock::now() < until) {}
      ran += int(end - begin);
    });
    EXPECT_EQ(ran, 8);
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
      cpu_set_t its;
      if (sched_getaffinity(std::stoi(each.path().filename()), sizeof its, &its) != 0) continue; // it ended
      EXPECT_TRUE(CPU_EQUAL(&its, &usual)) << "thread " << each.path().filename();
    }
    if (launch % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2)); // helpers sleep
  }
}

} // namespace
} // namespace prism::devices::host
