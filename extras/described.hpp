// Gives access to the description of a device that the wrapper `described` simulates.
#pragma once

#include "runtime/engine/engine.hpp"

#include <prism/description.hpp>

#include <optional>

namespace prism::runtime_api {

/// Returns the description of the device; empty if the device is not simulated.
std::optional<device_description> description_of(const device_node& node);

} // namespace prism::runtime_api
