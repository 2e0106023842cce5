// What the wrapper `described` stands for, for those who describe devices.
#pragma once

#include "runtime/engine/engine.hpp"

#include <prism/description.hpp>

#include <optional>

namespace prism::runtime_api {

/// Empty for a device that is not described.
std::optional<device_description> description_of(const device_node& node);

} // namespace prism::runtime_api
