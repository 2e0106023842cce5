// prism-info --doctor: why a device is missing, and what to install. Checks loaders, ICD files, device
// nodes and permissions. Changes nothing.
#pragma once

#include "tools/prism-info/gather.hpp"

namespace prism::info {

/// One finding per line: "ok", "missing" or "problem", what was checked, what to do.
std::string diagnose(const json& report);

} // namespace prism::info
