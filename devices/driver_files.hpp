// The files by which the loaders of OpenCL and Vulkan find drivers, and the variables that limit a loader to
// some of them: how one driver that crashes or hangs is left out and the others stay usable. Text and files
// only, no driver is touched.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace prism::devices {

using environment_changes = std::vector<std::pair<std::string, std::string>>; // name, new value

/// The drivers that the loader behind this backend would open now, in its order: for OpenCL an .icd file or a
/// library, for Vulkan a manifest. Empty for other backends.
std::vector<std::filesystem::path> driver_files(const std::string& backend);

/// The variables by which that loader opens these drivers and no others. OpenCL's loader wants a folder:
/// `folder` is made or completed, safely beside other processes that do the same. Empty when that fails.
environment_changes only_these_drivers(const std::string& backend,
                                       const std::vector<std::filesystem::path>& files,
                                       const std::filesystem::path& folder);

} // namespace prism::devices
