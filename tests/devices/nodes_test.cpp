// Work divided among NUMA nodes: the share of each node, that each index is taken once, and that threads run
// on their nodes. host_device_test.two_nodes runs this with a description of two nodes that hwloc reads.
#include "devices/host/nodes.hpp"
#include "devices/host/parallel.hpp"
#include "tests/wait.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdexcept>
#include <thread>

namespace prism::devices::host {
namespace {

const std::vector<numa_node> equal_nodes = {{0, 4}, {1, 4}}, unequal_nodes = {{0, 1}, {1, 3}, {2, 4}};

TEST(nodes, get_shares_proportional_to_their_threads) {
  const struct {
    std::uint64_t begin, end;
    const std::vector<numa_node>& nodes;
    std::vector<index_range> expected;
  } rows[] = {
      {0, 100, equal_nodes, {{0, 50}, {50, 100}}},
      {10, 11, equal_nodes, {{10, 10}, {10, 11}}},
      {5, 5, equal_nodes, {{5, 5}, {5, 5}}},
      {0, 80, unequal_nodes, {{0, 10}, {10, 40}, {40, 80}}},
      {0, ~0ull, equal_nodes, {{0, ~0ull / 2}, {~0ull / 2, ~0ull}}},
      {7, 1007, {equal_nodes.begin(), equal_nodes.begin() + 1}, {{7, 1007}}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(shares_of(row.begin, row.end, row.nodes), row.expected) << row.begin << " to " << row.end;
}

TEST(nodes, take_from_their_own_share_then_from_the_largest_rest) {
  shared_range all(0, 800, unequal_nodes); // 100, 300, 400
  index_range part;
  std::uint64_t seen = 0;
  while (seen < 100) {
    ASSERT_TRUE(all.take(0, part));
    EXPECT_EQ(part.begin, seen);
    seen = part.end;
  }
  EXPECT_EQ(seen, 100u);
  ASSERT_TRUE(all.take(0, part));
  EXPECT_EQ(part.begin, 400u) << "the third node has the most work left";
  EXPECT_LE(part.end - part.begin, 400u / 4);
  all.stop();
  EXPECT_FALSE(all.take(1, part));
}

TEST(nodes, take_each_index_once) {
  constexpr std::uint64_t count = 100'000;
  shared_range all(3, 3 + count, unequal_nodes);
  std::vector<std::atomic<int>> taken(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 6; ++i)
    threads.emplace_back([&, node = i % 3] {
      for (index_range part; all.take(node, part);)
        for (auto each = part.begin; each < part.end; ++each) ++taken[each - 3];
    });
  for (std::thread& each : threads) each.join();
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(taken[i], 1) << i;
}

/// The only processor that this thread may run on, or -1.
int bound_to() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  if (CPU_COUNT(&set) != 1) return -1;
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  return cpu;
}

class on_two_nodes : public testing::Test {
protected:
  void SetUp() override {
    if (numa_nodes().size() != 2)
      GTEST_SKIP() << "this machine has " << numa_nodes().size()
                   << " NUMA nodes; host_device_test.two_nodes describes two";
  }
};

TEST_F(on_two_nodes, each_computes_its_share_on_its_own_processor) {
  constexpr std::uint64_t count = 1000;
  const auto shares = shares_of(0, count, numa_nodes());
  std::atomic<int> processor[2] = {-2, -2}; // where the first range of each share ran
  std::atomic<std::uint64_t> done = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  parallel_for(0, count, [&](std::uint64_t begin, std::uint64_t end) {
    done += end - begin;
    const int share = begin >= shares[1].begin;
    if (begin != shares[share].begin) return;
    processor[share] = bound_to();
    while (processor[1 - share] == -2 && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield(); // else one node could do all the work
  });
  EXPECT_EQ(done, count);
  EXPECT_EQ(processor[0], 0);
  EXPECT_EQ(processor[1], 1);
  EXPECT_EQ(bound_to(), -1) << "the caller is not bound";
}

TEST_F(on_two_nodes, a_failing_share_stops_the_others) {
  constexpr std::uint64_t count = 1'000'000;
  std::atomic<std::uint64_t> done = 0, failed = 0;
  const auto part = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin == 0) {
      failed = end;
      throw std::runtime_error("the first part");
    }
    prism_test::spend(std::chrono::milliseconds(5));
    done += end - begin;
  };
  EXPECT_THROW(parallel_for(0, count, part), std::runtime_error);
  EXPECT_GT(failed, 0u);
  EXPECT_LT(done, count - failed);
}

TEST_F(on_two_nodes, work_of_a_one_node_sub_device_stays_on_that_node) {
  for (const numa_node& node : numa_nodes()) {
    thread_share share(node);
    std::atomic<bool> strayed = false;
    share.run([&] {
      parallel_for(0, 1000, [&](std::uint64_t, std::uint64_t) {
        if (bound_to() != node.id) strayed = true;
      });
    });
    EXPECT_FALSE(strayed) << "node " << node.id;
  }
}

} // namespace
} // namespace prism::devices::host
