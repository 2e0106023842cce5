// Freed device memory: reused, limited in size, released when the device is out of memory, and recognised as
// freed. How much of a device's memory may be used.
#include "devices/host_limits.hpp"
#include "runtime/memory/memory_pool.hpp"
#include "tests/unit/test_device.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace prism;
using namespace prism::test;
using devices::memory_kind;
using prism::memory::memory_pool;

namespace {

constexpr std::uint64_t mega = 1 << 20;

struct pool : testing::Test {
  memory_pool free_memory{far(0).raw(), 8 * mega};
  int before = counted.live_memories;
  int made() const { return counted.live_memories - before; }
};

TEST_F(pool, reuses_freed_memory) {
  auto first = free_memory.take(mega, memory_kind::buffer, 64);
  devices::memory* const object = first.get();
  first.reset();
  EXPECT_EQ(free_memory.cached_bytes(), mega);
  EXPECT_EQ(free_memory.take(mega, memory_kind::buffer, 64).get(), object);
  EXPECT_EQ(made(), 1);
}

TEST_F(pool, keeps_kinds_apart) {
  free_memory.take(mega, memory_kind::buffer, 64).reset();
  const auto usm = free_memory.take(mega, memory_kind::device, 64);
  EXPECT_EQ(usm->kind(), memory_kind::device);
  EXPECT_EQ(made(), 2);
}

TEST_F(pool, wastes_an_eighth_at_most) {
  free_memory.take(mega, memory_kind::buffer, 64).reset();
  const auto near_it = free_memory.take(mega - mega / 16, memory_kind::buffer, 64);
  EXPECT_EQ(made(), 1);
  free_memory.take(mega, memory_kind::buffer, 64).reset();
  const auto far_from_it = free_memory.take(mega / 2, memory_kind::buffer, 64);
  EXPECT_EQ(made(), 3);
  const auto larger = free_memory.take(mega + 1, memory_kind::buffer, 64);
  EXPECT_EQ(made(), 4);
}

TEST_F(pool, frees_the_least_recently_used_beyond_its_limit) {
  std::vector<memory_pool::pooled> all;
  for (int i = 0; i < 10; ++i) all.push_back(free_memory.take(mega, memory_kind::buffer, 64));
  devices::memory* const last = all.back().get();
  all.clear();
  EXPECT_EQ(free_memory.cached_bytes(), 8 * mega);
  EXPECT_EQ(made(), 8);
  auto larger = free_memory.take(5 * mega, memory_kind::buffer, 64);
  larger.reset(); // five of the old ones are freed
  EXPECT_EQ(free_memory.cached_bytes(), 8 * mega);
  EXPECT_EQ(made(), 4);
  EXPECT_EQ(free_memory.take(mega, memory_kind::buffer, 64).get(), last);
  free_memory.take(9 * mega, memory_kind::buffer, 64).reset(); // larger than the limit of the pool
  EXPECT_EQ(made(), 4);
}

TEST_F(pool, is_emptied_when_the_device_is_out_of_memory) {
  free_memory.take(mega, memory_kind::buffer, 64).reset();
  fail_next_allocation();
  const auto other = free_memory.take(2 * mega, memory_kind::buffer, 64);
  EXPECT_EQ(free_memory.cached_bytes(), 0u);
  EXPECT_EQ(made(), 1);
  fail_next_allocation();
  EXPECT_THROW(free_memory.take(3 * mega, memory_kind::buffer, 64),
               devices::device_error); // nothing left to release
}

TEST_F(pool, with_a_limit_of_zero_caches_nothing) {
  memory_pool none(far(0).raw(), 0);
  none.take(1, memory_kind::buffer, 64).reset();
  EXPECT_EQ(made(), 0);
}

TEST_F(pool, finds_pointers_into_freed_memory) {
  auto taken = free_memory.take(4096, memory_kind::device, 16);
  const std::uint64_t address = taken->address();
  ASSERT_NE(address, 0u);
  EXPECT_FALSE(free_memory.was_freed(address));
  taken.reset();
  EXPECT_TRUE(free_memory.was_freed(address));
  EXPECT_TRUE(free_memory.was_freed(address + 4095));
  EXPECT_FALSE(free_memory.was_freed(address + 4096));
  EXPECT_FALSE(free_memory.was_freed(address - 1));
  taken = free_memory.take(4096, memory_kind::device, 16);
  EXPECT_FALSE(free_memory.was_freed(address));
}

TEST_F(pool, of_a_lost_device_frees_nothing_and_gives_nothing_again) {
  auto in_use = free_memory.take(4096, memory_kind::device, 16);
  auto freed = free_memory.take(4096, memory_kind::device, 16);
  const std::uint64_t address = freed->address();
  freed.reset();
  free_memory.retain_all();
  EXPECT_TRUE(free_memory.was_freed(address));
  EXPECT_NE(free_memory.take(4096, memory_kind::device, 16)->address(), address);
  in_use.reset();
  free_memory.trim();
  EXPECT_EQ(made(), 3) << "the device may still use all of them";
}

TEST_F(pool, is_shared_by_threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (std::uint64_t i = 0; i < 500; ++i) {
        auto a = free_memory.take(1000 + 100 * (i % 7), memory_kind::buffer, 64);
        auto b = free_memory.take(1000 * static_cast<std::uint64_t>(t + 1), memory_kind::device, 64);
        EXPECT_GE(a->size(), 1000 + 100 * (i % 7));
        EXPECT_FALSE(free_memory.was_freed(b->address()));
      }
    });
  for (std::thread& t : threads) t.join();
  free_memory.trim();
  EXPECT_EQ(made(), 0);
}

TEST(memory_limit, is_the_least_of_what_is_known) {
  using prism::memory::least_memory_limit;
  // PRISM_MEMORY_LIMIT, the driver's figure, whether it is the host's memory, the control group's limit
  EXPECT_EQ(least_memory_limit(0, 8 * mega, false, 2 * mega), 8 * mega) << "a device with memory of its own";
  EXPECT_EQ(least_memory_limit(0, 8 * mega, true, 2 * mega), 2 * mega) << "the group's";
  EXPECT_EQ(least_memory_limit(0, 8 * mega, true, 20 * mega), 8 * mega) << "the driver's";
  EXPECT_EQ(least_memory_limit(mega, 8 * mega, true, 2 * mega), mega) << "the variable's";
  EXPECT_EQ(least_memory_limit(9 * mega, 8 * mega, true, 2 * mega), 2 * mega)
      << "the variable raises nothing";
  EXPECT_EQ(least_memory_limit(9 * mega, 0, false, 2 * mega), 9 * mega) << "the driver reports nothing";
  EXPECT_EQ(least_memory_limit(0, 0, true, 2 * mega), 2 * mega);
  EXPECT_EQ(least_memory_limit(0, 0, false, 2 * mega), 0u) << "nothing is known";
}

TEST(memory_limit, of_a_device_comes_from_its_driver_and_the_control_group) {
  const auto limit_of = [](device_node& device) {
    return static_cast<runtime::device_state&>(device).pool().budget().limit();
  };
  EXPECT_EQ(limit_of(far(0)), memory_of_test_devices);
  const std::uint64_t host = devices::limits_of_this_process().memory_bytes;
  EXPECT_EQ(limit_of(near()), std::min(memory_of_test_devices, host));
}

} // namespace
