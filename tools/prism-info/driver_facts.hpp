// What a driver reports of a device and no part of PRISM needs: conformance version, UUIDs, driver id,
// images. For the report of prism-info, in the child process that opened the device.
#pragma once

#include "devices/api/device.hpp"
#include "tools/prism-info/gather.hpp"

namespace prism::info {

/// The keys that docs/prism-info.md lists under `driver`; what a driver does not report is left out. `device`
/// is of the backend of the function's name.
json opencl_facts(const devices::device& device);
json vulkan_facts(const devices::device& device);

/// "4368656d-6973-..." of 16 bytes, as `vulkaninfo` writes it.
std::string uuid_text(const unsigned char* bytes);

} // namespace prism::info
