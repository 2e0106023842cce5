// The device queue in which an explicit copy runs.
#include "runtime/execution/copy_queue_choice.hpp"

#include <gtest/gtest.h>

using namespace prism::runtime;
using prism::devices::copy_overlap;

namespace {

constexpr copy_facts facts(copy_overlap device, std::uint64_t bytes, bool kernel) {
  copy_facts f;
  f.shares_processor = false;
  f.device = device;
  f.bytes = bytes;
  f.kernel_is_in_the_way = kernel;
  return f;
}

TEST(copy_queue_choice, small_copies_use_the_copy_queue_only_after_a_kernel) {
  EXPECT_FALSE(overlaps_kernels(facts(copy_overlap::all, 64, false)));
  EXPECT_TRUE(overlaps_kernels(facts(copy_overlap::all, 64, true)));
}

TEST(copy_queue_choice, large_copies_always_use_the_copy_queue) {
  EXPECT_FALSE(overlaps_kernels(facts(copy_overlap::all, large_copy - 1, false)));
  EXPECT_TRUE(overlaps_kernels(facts(copy_overlap::all, large_copy, false)));
}

TEST(copy_queue_choice, large_copies_stay_if_they_use_the_cores_of_kernels) {
  copy_facts f = facts(copy_overlap::all, large_copy, false);
  f.shares_processor = true;
  EXPECT_FALSE(overlaps_kernels(f));
  f.kernel_is_in_the_way = true;
  EXPECT_TRUE(overlaps_kernels(f));
}

TEST(copy_queue_choice, an_in_order_queue_has_one_device_queue) {
  copy_facts f = facts(copy_overlap::all, large_copy, true);
  f.in_order = f.uses_host_memory = true;
  EXPECT_FALSE(overlaps_kernels(f));
}

TEST(copy_queue_choice, without_a_copy_queue_only_host_copies_overlap) {
  copy_facts f = facts(copy_overlap::host_memory, large_copy, true);
  EXPECT_FALSE(overlaps_kernels(f));
  f.uses_host_memory = true;
  EXPECT_TRUE(overlaps_kernels(f));
  f.device = copy_overlap::none;
  EXPECT_FALSE(overlaps_kernels(f));
}

} // namespace
