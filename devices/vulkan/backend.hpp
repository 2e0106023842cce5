// The Vulkan backend. Opens every device of the Vulkan loader that has what PRISM needs; probe() names the
// others.
#pragma once

#include "devices/api/backend.hpp"
#include "devices/vulkan/device.hpp"

namespace prism::devices {

const backend& vulkan_backend();

namespace vulkan {
/// Reads the variables of runtime/support/environment.hpp.
device_options options_of_environment();
std::vector<std::unique_ptr<devices::device>> open_devices(const device_options& options);
}

} // namespace prism::devices
