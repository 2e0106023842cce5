// prism-info --doctor: why a device is missing, and what to install. Checks loaders, ICD files, device
// nodes and permissions. Changes nothing. A child process loads each library, because drivers crash and hang.
#pragma once

#include "tools/prism-info/gather.hpp"

namespace prism::info {

/// One finding per line: "ok", "missing" or "problem", what was checked, what to do. `drivers`: what
/// diagnose_drivers() found.
std::string diagnose(const json& report, const std::string& drivers);

/// The loaders and the drivers that they would open. `limit`: for the load of each library.
std::string diagnose_drivers(std::chrono::seconds limit);

/// Runs in the child: prints the path of the library, or why it cannot be loaded, and ends the process.
[[noreturn]] void load_child(const std::string& library);

} // namespace prism::info
