// Converts between Vulkan's terms and the device interface's: result codes, versions, device types. Pure.
#pragma once

#include "devices/api/types.hpp"
#include "devices/vulkan/loader.hpp"

#include <string>

namespace prism::devices::vulkan {

std::string result_name(VkResult result);
error_category category_of(VkResult result) noexcept;
device_type type_of(VkPhysicalDeviceType type) noexcept;
std::string version_text(std::uint32_t version);
std::string vendor_name(std::uint32_t vendor_id);

/// Throws device_error if `result` is an error; `asked` is what was attempted.
void check(VkResult result, const std::string& asked);
[[noreturn]] void fail(VkResult result, const std::string& asked);

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

} // namespace prism::devices::vulkan
