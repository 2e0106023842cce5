// The files by which the loaders of OpenCL and Vulkan find drivers, and the variables that limit a loader to
// some of them. PRISM uses them to leave out a driver that crashes or hangs and to use the others. Only reads
// and writes files; never calls a driver.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace prism::devices {

using environment_changes = std::vector<std::pair<std::string, std::string>>; // name, new value

/// The drivers that the loader of this backend would open now, in its order: an .icd file or a library for
/// OpenCL, a manifest for Vulkan. Empty for other backends.
std::vector<std::filesystem::path> driver_files(const std::string& backend);

/// The library that an .icd file names in its first line; the other files of OpenCL are themselves libraries.
std::string opencl_library_of(const std::filesystem::path& file);

/// The variables that make that loader open these drivers and no others. OpenCL's loader wants a folder: this
/// makes or completes `folder`, safely while other processes do the same. Empty if that fails.
environment_changes only_these_drivers(const std::string& backend,
                                       const std::vector<std::filesystem::path>& files,
                                       const std::filesystem::path& folder);

} // namespace prism::devices
