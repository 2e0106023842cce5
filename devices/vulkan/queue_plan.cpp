#include "devices/vulkan/queue_plan.hpp"

#include <algorithm>

namespace prism::devices::vulkan {

namespace {
constexpr std::uint32_t most_compute = 8;

bool only_transfers(const VkQueueFamilyProperties& family) {
  constexpr VkQueueFlags others = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT;
  return family.queueCount > 0 && (family.queueFlags & VK_QUEUE_TRANSFER_BIT) &&
         !(family.queueFlags & others);
}
} // namespace

queue_plan plan_queues(std::span<const VkQueueFamilyProperties> families) {
  queue_plan plan;
  int best_score = -1;
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    const auto& family = families[i];
    if (!(family.queueFlags & VK_QUEUE_COMPUTE_BIT) || family.queueCount == 0) continue;
    const bool graphics = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    const int score =
        (family.timestampValidBits ? 4 : 0) + (graphics ? 0 : 2) + (family.queueCount > 1 ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    plan.compute_family = i;
    plan.compute_count = std::min(family.queueCount, most_compute);
    plan.timestamp_bits = family.timestampValidBits;
  }
  if (plan.compute_count == 0) return plan;
  for (std::uint32_t i = 0; i < families.size() && !plan.copies; ++i)
    if (only_transfers(families[i])) {
      plan.copy_family = i;
      plan.copies = true;
    }
  if (plan.copies || families[plan.compute_family].queueCount < 2) return plan;
  if (families[plan.compute_family].queueCount == plan.compute_count)
    --plan.compute_count; // the last queue is for copies
  plan.copy_family = plan.compute_family;
  plan.copy_index = plan.compute_count;
  plan.copies = true;
  return plan;
}

} // namespace prism::devices::vulkan
