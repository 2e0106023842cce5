// Queues for kernels and for copies, for the queue families of real devices. No driver here has a
// transfer-only family, so only this test shows that it is selected.
#include "devices/vulkan/queue_plan.hpp"

#include <gtest/gtest.h>

using namespace prism::devices::vulkan;

namespace {

constexpr VkQueueFlags graphics = VK_QUEUE_GRAPHICS_BIT, compute = VK_QUEUE_COMPUTE_BIT,
                       transfer = VK_QUEUE_TRANSFER_BIT;

VkQueueFamilyProperties family(VkQueueFlags flags, std::uint32_t count, std::uint32_t bits = 64) {
  return {flags, count, bits, {1, 1, 1}};
}

TEST(queue_plan, a_single_queue_leaves_none_for_copies) { // lavapipe, SwiftShader
  const VkQueueFamilyProperties families[] = {family(graphics | compute | transfer, 1)};
  const queue_plan plan = plan_queues(families);
  EXPECT_EQ(plan.compute_family, 0u);
  EXPECT_EQ(plan.compute_count, 1u);
  EXPECT_FALSE(plan.has_copy_queue());
}

TEST(queue_plan, copies_use_a_transfer_only_family) { // discrete GPUs
  const VkQueueFamilyProperties families[] = {family(graphics | compute | transfer, 16), family(transfer, 2),
                                              family(compute | transfer, 8)};
  const queue_plan plan = plan_queues(families);
  EXPECT_EQ(plan.compute_family, 2u);
  EXPECT_EQ(plan.compute_count, 8u);
  ASSERT_TRUE(plan.has_copy_queue());
  EXPECT_TRUE(plan.copy_family_differs());
  EXPECT_EQ(plan.copy_family, 1u);
  EXPECT_EQ(plan.copy_index, 0u);
}

TEST(queue_plan, copies_else_use_the_last_queue_of_the_compute_family) {
  const VkQueueFamilyProperties families[] = {family(graphics | compute | transfer, 1),
                                              family(compute | transfer, 4)};
  const queue_plan plan = plan_queues(families);
  EXPECT_EQ(plan.compute_family, 1u);
  EXPECT_EQ(plan.compute_count, 3u);
  ASSERT_TRUE(plan.has_copy_queue());
  EXPECT_FALSE(plan.copy_family_differs());
  EXPECT_EQ(plan.copy_index, 3u);
}

TEST(queue_plan, with_many_queues_one_more_is_opened_for_copies) {
  const VkQueueFamilyProperties families[] = {family(compute | transfer, 16)};
  const queue_plan plan = plan_queues(families);
  EXPECT_EQ(plan.compute_count, 8u);
  EXPECT_EQ(plan.copy_index, 8u);
}

TEST(queue_plan, families_without_compute_are_ignored) {
  const VkQueueFamilyProperties families[] = {family(VK_QUEUE_SPARSE_BINDING_BIT, 1), family(transfer, 0),
                                              family(graphics | transfer, 1), family(compute, 1)};
  const queue_plan plan = plan_queues(families);
  EXPECT_EQ(plan.compute_family, 3u);
  EXPECT_FALSE(plan.has_copy_queue());
  EXPECT_EQ(plan_queues({}).compute_count, 0u);
}

} // namespace
