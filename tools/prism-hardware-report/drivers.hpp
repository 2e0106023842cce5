// Drivers that the loaders of OpenCL and Vulkan would not find: libraries of a vendor without the small file
// by which a loader knows them (usual in containers), or in a folder of their own; and the loaders
// themselves, where the machine has none. Opens no driver.
#pragma once

#include "tools/prism-hardware-report/child.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace prism::hardware {

/// A library by which the drivers of a vendor are known.
struct known_library {
  const char *api, *vendor, *name; // "OpenCL", "NVIDIA", "libnvidia-opencl.so.1"
};
std::span<const known_library> known_libraries();

struct driver_library {
  std::string api;    // "OpenCL" or "Vulkan"
  std::string vendor; // "NVIDIA"
  std::filesystem::path file;
  bool is_registered = false; // the loader's own files name it
};

/// The libraries of known vendors in `folders`, each once and one Vulkan library of a vendor that the loader
/// does not know, and whether a file in `opencl_vendors` (*.icd), the
/// text `opencl_files` (of OCL_ICD_FILENAMES, which Khronos' loader reads too) or a file in one of
/// `vulkan_manifests` names it.
std::vector<driver_library> find_drivers(const std::vector<std::filesystem::path>& folders,
                                         const std::filesystem::path& opencl_vendors,
                                         const std::string& opencl_files,
                                         const std::vector<std::filesystem::path>& vulkan_manifests);

/// The folders in which vendors put their libraries on Linux, below `root`, and before them those of
/// LD_LIBRARY_PATH.
std::vector<std::filesystem::path> library_folders(const std::filesystem::path& root = "/");
std::filesystem::path opencl_vendor_folder(const std::filesystem::path& root = "/");
std::string opencl_file_names(); // OCL_ICD_FILENAMES
/// Those that the loader reads: the system's, below `root`, and vulkan/icd.d in the folders of XDG_DATA_DIRS.
std::vector<std::filesystem::path> vulkan_manifest_folders(const std::filesystem::path& root = "/");

/// Writes files into `folder` by which the loaders find the unregistered ones too, and returns the variables
/// for it. Throws std::filesystem::filesystem_error if it cannot write.
environment_changes register_drivers(const std::vector<driver_library>& drivers,
                                     const std::filesystem::path& opencl_vendors,
                                     const std::filesystem::path& folder);

} // namespace prism::hardware
