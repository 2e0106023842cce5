// Reads descriptions for the wrapper `described`. A program that links this library can use
// PRISM_WRAP=described(...).
#pragma once

#include "devices/api/device.hpp"

#include <prism/description.hpp>

#include <optional>

namespace prism::policy {

/// Returns the description of a simulated device; empty for other devices.
std::optional<device_description> simulated_description(const devices::device& device);

} // namespace prism::policy
