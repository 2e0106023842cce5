// prism-info --doctor: why a device is not there, and what to install. Looks at loaders, ICD files, device
// nodes and permissions; reads only.
#pragma once

#include "tools/prism-info/gather.hpp"

namespace prism::info {

/// One finding a line: "ok", "missing" or "problem", what was looked at, what to do.
std::string diagnose(const json& report);

} // namespace prism::info
