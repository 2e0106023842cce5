// What a program enabled on its own VkDevice, and the description of the hardware without the rest.
#pragma once

#include "devices/vulkan/physical.hpp"

#include <string>

namespace prism::devices::vulkan {

/// Removes from `what`, which describes the whole physical device, each feature and extension that `created`
/// does not enable, and all that depends on them. Then sets what.unusable if something necessary is missing.
void restrict_to(physical& what, const VkDeviceCreateInfo& created);

/// Why the queues are not there, in the words of an error; empty if they are.
std::string wrong_queues(const VkDeviceCreateInfo& created, std::uint32_t family, std::uint32_t first,
                         std::uint32_t count);

} // namespace prism::devices::vulkan
