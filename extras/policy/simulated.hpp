// Descriptions in use by the wrapper `described`. Linking this part is enough for PRISM_WRAP=described(...)
// to be understood.
#pragma once

#include "devices/api/device.hpp"

#include <prism/description.hpp>

#include <optional>

namespace prism::policy {

/// What a device stands for; empty for one that is not described.
std::optional<device_description> simulated_description(const devices::device& device);

} // namespace prism::policy
