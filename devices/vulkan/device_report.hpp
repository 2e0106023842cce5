// A report of another device: PRISM uses each Vulkan device as if it had at most the features and limits of
// the report (PRISM_VULKAN_REPORT). The tests run kernels on lavapipe as on phones and old GPUs in this way.
//
// The text is a YAML mapping of `name: value` lines, with `#` comments and section names alone on a line. A
// name is that of the feature or limit in Vulkan, argumentBuffers, exactFloats, phis, subgroupScans or
// maxPrivateBytes (physical.hpp); a value is true, false or a number. What the report does not name stays as
// the device has it. `argumentBuffers: true` makes kernels reach memory through descriptors on any processor.
#pragma once

#include "devices/vulkan/physical.hpp"

#include <string>
#include <string_view>

namespace prism::devices::vulkan {

/// Lowers the features and limits of `into`. Returns why the report is wrong; empty if it is not.
std::string apply_report(std::string_view report, physical& into);

/// The same for the file that PRISM_VULKAN_REPORT names, if it names one.
std::string apply_report_of_environment(physical& into);

} // namespace prism::devices::vulkan
