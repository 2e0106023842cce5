// Which queues of a device PRISM opens and what for. A pure function of the device's queue families.
//
// Kernels: a compute family without graphics leaves the display responsive. Copies that run beside kernels: a
// family that only transfers is the hardware's copy engine; else one more queue of the compute family; else
// none. Buffers are shared by both families (VK_SHARING_MODE_CONCURRENT), so nothing changes owners.
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
