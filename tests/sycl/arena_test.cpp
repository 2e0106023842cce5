// prism::arena over each kind of USM that the device has.
#include "tests/sycl/common.hpp"

#include <prism/arena.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <thread>

using prism_test::error_of;
using sycl::usm::alloc;

extern "C" int getcpu(unsigned* processor, unsigned* node) noexcept;

namespace {

std::vector<alloc> kinds_of(const sycl::queue& q) {
  std::vector<alloc> kinds;
  const sycl::device d = q.get_device();
  if (d.has(sycl::aspect::usm_host_allocations)) kinds.push_back(alloc::host);
  if (d.has(sycl::aspect::usm_shared_allocations)) kinds.push_back(alloc::shared);
  if (d.has(sycl::aspect::usm_device_allocations)) kinds.push_back(alloc::device);
  return kinds;
}

prism::arena_options blocks_of(std::size_t first, std::size_t largest = std::size_t(1) << 26) {
  prism::arena_options options;
  options.block_bytes = first;
  options.largest_block_bytes = largest;
  return options;
}

class arena : public testing::Test {
protected:
  void SetUp() override {
    if (!kinds_of(q).empty()) return;
    EXPECT_EQ(error_of([&] { prism::arena(q, alloc::host); }), sycl::errc::feature_not_supported);
    GTEST_SKIP() << "the device has no USM";
  }
  sycl::queue q;
};

/// The NUMA node of a thread, as getcpu() below gives it. The arena's library calls this program's getcpu(),
/// so that a machine of one node shows what happens on one of several.
thread_local unsigned node_of_thread = 0;

/// Runs \p work on a thread of its own, which is of NUMA node \p node, and waits for its end.
void on_node(unsigned node, const std::function<void()>& work) {
  std::thread([&] {
    node_of_thread = node;
    work();
  }).join();
}

std::size_t misalignment(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment;
}

TEST_F(arena, gives_aligned_memory_of_each_kind_that_kernels_can_use) {
  for (const alloc kind : kinds_of(q)) {
    prism::arena arena(q, kind, blocks_of(4096));
    std::vector<int*> rows;
    for (int i = 0; i < 100; ++i) {
      rows.push_back(arena.allocate<int>(1 + i * 3));
      EXPECT_EQ(misalignment(rows.back(), 64), 0u);
      EXPECT_EQ(sycl::get_pointer_type(rows.back(), q.get_context()), kind);
    }
    for (int i = 0; i < 100; ++i) q.fill(rows[i], i, 1 + i * 3);
    q.wait();
    for (int i = 0; i < 100; ++i) {
      std::vector<int> back(1 + i * 3);
      q.copy(rows[i], back.data(), back.size()).wait();
      EXPECT_EQ(back, std::vector<int>(back.size(), i)) << "allocations overlap";
    }
    for (const std::size_t alignment : {1u, 128u, 4096u})
      EXPECT_EQ(misalignment(arena.allocate(7, alignment), alignment), 0u);
  }
}

TEST_F(arena, frees_everything_at_once_and_keeps_its_blocks) {
  prism::arena arena(q, kinds_of(q).front(), blocks_of(4096, 16384));
  void* first = nullptr;
  std::uint64_t taken = 0;
  for (int round = 0; round < 3; ++round) {
    void* const p = arena.allocate(100);
    if (round == 0) first = p;
    EXPECT_EQ(p, first) << "a reset arena begins again";
    for (int i = 0; i < 1000; ++i) arena.allocate(100);
    arena.allocate(100'000); // above the largest block: one of its own
    const prism::arena_statistics s = arena.statistics();
    EXPECT_EQ(s.allocations, 1002u);
    EXPECT_GE(s.allocated_bytes, 1001 * 100 + 100'000u);
    EXPECT_GE(s.block_bytes, s.allocated_bytes);
    if (round == 0) taken = s.block_bytes;
    EXPECT_EQ(s.block_bytes, taken) << "no more memory than in the first round";
    EXPECT_EQ(s.resets, std::uint64_t(round));
    arena.reset({q.single_task([] {})});
    EXPECT_EQ(arena.statistics().allocations, 0u);
    EXPECT_EQ(arena.statistics().peak_bytes, s.allocated_bytes);
    EXPECT_EQ(arena.statistics().free_blocks, arena.statistics().blocks);
  }
  arena.release();
  EXPECT_EQ(arena.statistics().block_bytes, 0u);
  EXPECT_NE(arena.allocate(1), nullptr);
}

TEST_F(arena, grows_by_blocks_that_double_up_to_the_largest) {
  for (const alloc kind : kinds_of(q)) {
    prism::arena arena(q, kind, blocks_of(4096, 16384));
    std::vector<std::uint64_t> sums; // of all blocks, when a block was added
    while (sums.size() < 5) {
      arena.allocate(64);
      const prism::arena_statistics s = arena.statistics();
      if (s.blocks > sums.size()) sums.push_back(s.block_bytes);
      ASSERT_LE(s.allocated_bytes, s.block_bytes);
    }
    EXPECT_EQ(sums, (std::vector<std::uint64_t>{4096, 12288, 28672, 45056, 61440}));
  }
}

/// With PRISM_WRAP=fault(memory=2+): the driver allocates once, so a second block can only be the first one.
class arena_of_one_allocation : public testing::TestWithParam<alloc> {};
INSTANTIATE_TEST_SUITE_P(, arena_of_one_allocation,
                         testing::Values(alloc::host, alloc::shared, alloc::device), [](const auto& kind) {
                           return kind.param == alloc::host     ? "host"
                                  : kind.param == alloc::shared ? "shared"
                                                                : "device";
                         });

TEST_P(arena_of_one_allocation, takes_its_block_from_the_devices_pool_and_returns_it) {
  const char* const wrap = std::getenv("PRISM_WRAP");
  if (wrap == nullptr || !std::strstr(wrap, "memory=2+")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  sycl::queue q;
  const std::vector<alloc> kinds = kinds_of(q);
  if (std::find(kinds.begin(), kinds.end(), GetParam()) == kinds.end()) GTEST_SKIP() << "the device has none";
  prism::arena first(q, GetParam(), blocks_of(1 << 20));
  void* const block = first.allocate(1);
  EXPECT_EQ(error_of([&] { first.allocate(2 << 20); }), sycl::errc::memory_allocation);
  first.release();
  prism::arena second(q, GetParam(), blocks_of(1 << 20));
  EXPECT_EQ(second.allocate(1), block);
}

TEST_F(arena, serves_many_threads_at_once_without_overlap) {
  const alloc kind = kinds_of(q).front();
  if (kind == alloc::device) GTEST_SKIP() << "the host cannot write the device's memory";
  prism::arena arena(q, kind, blocks_of(4096));
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::vector<unsigned char*> mine;
        for (int i = 0; i < 2000; ++i) {
          mine.push_back(arena.allocate<unsigned char>(1 + i % 200));
          std::memset(mine.back(), t, 1 + i % 200);
        }
        for (int i = 0; i < 2000; ++i)
          for (int k = 0; k < 1 + i % 200; ++k) wrong += mine[i][k] != t;
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(arena.statistics().allocations, 8000u);
    arena.reset();
  }
  EXPECT_LE(arena.statistics().parts, 8u) << "parts of threads that ended serve new ones";
}

TEST_F(arena, gives_each_numa_node_its_own_blocks) {
  prism::arena arena(q, kinds_of(q).front(), blocks_of(4096, 4096));
  using bytes = std::vector<std::uint64_t>;
  void *on_0 = nullptr, *on_2 = nullptr;
  on_node(0, [&] { on_0 = arena.allocate(100); });
  EXPECT_EQ(arena.statistics().block_bytes_of_node, (bytes{4096}));
  on_node(2, [&] { on_2 = arena.allocate(5000); });
  EXPECT_EQ(arena.statistics().block_bytes_of_node, (bytes{4096, 0, 8192}));
  EXPECT_EQ(arena.statistics().parts, 2u);

  // The part of a thread that ended serves the next one of its node, and no other.
  on_node(0, [&] { EXPECT_EQ(arena.allocate(1), static_cast<std::byte*>(on_0) + 128); });
  EXPECT_EQ(arena.statistics().parts, 2u);
  on_node(1, [&] { arena.allocate(1); });
  EXPECT_EQ(arena.statistics().block_bytes_of_node, (bytes{4096, 4096, 8192}));
  EXPECT_EQ(arena.statistics().parts, 3u);

  // After a reset too, a block goes to threads of the node that took it.
  arena.reset();
  on_node(1, [&] { arena.allocate(5000); });
  EXPECT_EQ(arena.statistics().block_bytes_of_node, (bytes{4096, 4096 + 8192, 8192}));
  on_node(2, [&] { EXPECT_EQ(arena.allocate(5000), on_2); });
  on_node(0, [&] { EXPECT_EQ(arena.allocate(1), on_0); });
  EXPECT_EQ(arena.statistics().block_bytes_of_node, (bytes{4096, 4096 + 8192, 8192}));
  arena.release();
  EXPECT_TRUE(arena.statistics().block_bytes_of_node.empty());
}

TEST_F(arena, is_a_memory_resource_for_standard_containers_over_each_kind_that_the_host_can_use) {
  for (const alloc kind : kinds_of(q)) {
    prism::arena arena(q, kind);
    if (kind == alloc::device) {
      EXPECT_EQ(error_of([&] { arena.resource(); }), sycl::errc::feature_not_supported);
      continue;
    }
    std::pmr::vector<int> numbers(arena.resource());
    for (int i = 0; i < 10'000; ++i) numbers.push_back(i);
    std::pmr::list<std::pmr::string> words(arena.resource());
    for (int i = 0; i < 100; ++i) words.emplace_back(50, 'x');
    EXPECT_EQ(sycl::get_pointer_type(numbers.data(), q.get_context()), kind);
    EXPECT_EQ(sycl::get_pointer_type(words.back().data(), q.get_context()), kind);
    int* const data = numbers.data();
    q.parallel_for(numbers.size(), [=](sycl::id<1> i) { data[i] *= 2; }).wait();
    EXPECT_EQ(numbers[777], 1554);
  }
}

TEST_F(arena, refuses_what_cannot_be_and_says_what) {
  const alloc kind = kinds_of(q).front();
  std::string text;
  prism::arena_options wrong_alignment, limited = blocks_of(4096);
  wrong_alignment.alignment = 48;
  limited.limit_bytes = 10'000;
  EXPECT_EQ(error_of([&] { prism::arena(q, kind, wrong_alignment); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("found 48"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { prism::arena(q, kind, blocks_of(0)); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::arena(q, alloc::unknown); }), sycl::errc::invalid);
  prism::arena arena(q, kind, limited);
  EXPECT_EQ(error_of([&] { arena.allocate(8, 3); }), sycl::errc::invalid);
  arena.allocate(4000);
  EXPECT_EQ(error_of([&] { arena.allocate(8000); }, &text), sycl::errc::memory_allocation);
  EXPECT_NE(text.find("the arena has 4096 of its limit of 10000"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { arena.allocate<double>(std::size_t(-1)); }), sycl::errc::memory_allocation);
  EXPECT_EQ(error_of([&] { arena.allocate(std::size_t(-1)); }), sycl::errc::memory_allocation);
  EXPECT_NE(arena.allocate(0), nullptr) << "a failed call leaves the arena usable";
}

} // namespace

int getcpu(unsigned* processor, unsigned* node) noexcept {
  if (processor != nullptr) *processor = 0;
  if (node != nullptr) *node = node_of_thread;
  return 0;
}
