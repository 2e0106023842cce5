// Which queues of a device PRISM opens, and for what. A pure function of the device's queue families.
//
// Kernels use a compute family without graphics if possible, which keeps the display responsive. Copies that
// overlap kernels use a transfer-only family, which is the hardware's copy engine; else one more queue of the
// compute family; else there is no copy queue. Both families share buffers (VK_SHARING_MODE_CONCURRENT), so
// ownership never changes.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace prism::devices::vulkan {

struct queue_plan {
  std::uint32_t compute_family = 0, compute_count = 0; // 0: the device has none
  std::uint32_t timestamp_bits = 0;                    // of the compute family
  std::uint32_t copy_family = 0, copy_index = 0;
  bool copies = false;

  bool has_copy_queue() const noexcept { return copies; }
  bool copy_family_differs() const noexcept { return copies && copy_family != compute_family; }
};

queue_plan plan_queues(std::span<const VkQueueFamilyProperties> families);

} // namespace prism::devices::vulkan
