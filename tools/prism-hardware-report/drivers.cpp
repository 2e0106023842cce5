#include "tools/prism-hardware-report/drivers.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace prism::hardware {

namespace fs = std::filesystem;

namespace {

// By the names in the vendors' own packages. NVIDIA's Vulkan driver is in two libraries; the one for EGL
// needs no X11, so it comes first: it is the one that a container can open.
constexpr known_library known[] = {
    {"OpenCL", "NVIDIA", "libnvidia-opencl.so.1"},
    {"OpenCL", "AMD", "libamdocl64.so"},
    {"OpenCL", "Intel", "libigdrcl.so"},
    {"OpenCL", "ARM", "libmali.so"},
    {"Vulkan", "NVIDIA", "libEGL_nvidia.so.0"},
    {"Vulkan", "NVIDIA", "libGLX_nvidia.so.0"},
    {"Vulkan", "AMD", "amdvlk64.so"},
    {"Vulkan", "AMD", "libvulkan_radeon.so"},
    {"Vulkan", "Intel", "libvulkan_intel.so"},
};

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void split(const char* paths, std::vector<fs::path>& out) {
  std::istringstream in(paths ? paths : "");
  for (std::string one; std::getline(in, one, ':');)
    if (!one.empty()) out.emplace_back(one);
}

/// The texts of all files in these folders that end so.
std::string texts_of(const std::vector<fs::path>& folders, const char* extension) {
  std::string all;
  std::error_code none;
  for (const fs::path& folder : folders)
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
      if (entry.path().extension() == extension && entry.is_regular_file(none))
        all += content_of(entry.path()) + "\n";
  return all;
}

/// Leaves out what the loader does not know of a vendor with another Vulkan library: the same driver would
/// appear twice.
std::vector<driver_library> without_second_libraries(const std::vector<driver_library>& found) {
  std::vector<driver_library> kept;
  for (const driver_library& d : found) {
    const bool is_second = d.api == "Vulkan" && !d.is_registered &&
                           std::any_of(found.begin(), found.end(), [&](const driver_library& other) {
      return other.api == d.api && other.vendor == d.vendor && (other.is_registered || &other < &d);
    });
    if (!is_second) kept.push_back(d);
  }
  return kept;
}

} // namespace

std::span<const known_library> known_libraries() { return known; }

std::vector<fs::path> library_folders(const fs::path& root) {
  std::vector<fs::path> all;
  split(std::getenv("LD_LIBRARY_PATH"), all);
#if defined(__x86_64__)
  const std::string machine = "x86_64-linux-gnu";
#elif defined(__aarch64__)
  const std::string machine = "aarch64-linux-gnu";
#else
  const std::string machine = "lib";
#endif
  for (const std::string& folder : {"usr/lib/" + machine,
                                    "usr/lib/" + machine + "/nvidia/current",
                                    "lib/" + machine,
                                    std::string("usr/lib64"),
                                    std::string("usr/lib"),
                                    std::string("usr/lib64/nvidia"),
                                    std::string("usr/lib/nvidia"),
                                    std::string("usr/local/lib"),
                                    std::string("usr/local/lib64"),
                                    std::string("usr/local/nvidia/lib64"),
                                    std::string("usr/local/nvidia/lib"),
                                    std::string("usr/local/cuda/compat"),
                                    std::string("usr/lib/wsl/lib"),
                                    std::string("run/opengl-driver/lib"),
                                    "opt/amdgpu/lib/" + machine,
                                    "opt/amdgpu-pro/lib/" + machine,
                                    std::string("opt/rocm/lib"),
                                    "usr/lib/" + machine + "/intel-opencl",
                                    std::string("usr/lib/intel-opencl"),
                                    std::string("usr/lib64/intel-opencl")})
    all.push_back(root / folder);
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "opt", none)) // /opt/rocm-6.2.0
    if (entry.path().filename().string().rfind("rocm-", 0) == 0) all.push_back(entry.path() / "lib");
  return all;
}

fs::path opencl_vendor_folder(const fs::path& root) {
  const char* own = std::getenv("OCL_ICD_VENDORS");
  return own && *own && fs::is_directory(own) ? fs::path(own) : root / "etc/OpenCL/vendors";
}

std::vector<fs::path> vulkan_manifest_folders(const fs::path& root) {
  std::vector<fs::path> all;
  for (const char* folder : {"etc/vulkan/icd.d", "usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d",
                             "usr/local/etc/vulkan/icd.d", "run/opengl-driver/share/vulkan/icd.d"})
    all.push_back(root / folder);
  std::vector<fs::path> shared;
  split(std::getenv("XDG_DATA_DIRS"), shared);
  for (const fs::path& folder : shared) all.push_back(folder / "vulkan/icd.d");
  return all;
}

std::string opencl_file_names() {
  const char* names = std::getenv("OCL_ICD_FILENAMES");
  return names ? names : "";
}

std::vector<driver_library> find_drivers(const std::vector<fs::path>& folders, const fs::path& opencl_vendors,
                                         const std::string& opencl_files,
                                         const std::vector<fs::path>& vulkan_manifests) {
  const std::string opencl = texts_of({opencl_vendors}, ".icd") + opencl_files,
                    vulkan = texts_of(vulkan_manifests, ".json");
  std::vector<driver_library> found;
  for (const known_library& library : known) {
    for (const fs::path& folder : folders) {
      std::error_code none;
      const fs::path file = folder / library.name;
      if (!fs::exists(file, none)) continue;
      const std::string& texts = std::string(library.api) == "OpenCL" ? opencl : vulkan;
      found.push_back({library.api, library.vendor, fs::absolute(file, none),
                       texts.find(library.name) != std::string::npos});
      break; // the loader of the system would take the first one too
    }
  }
  return without_second_libraries(found);
}

environment_changes register_drivers(const std::vector<driver_library>& drivers,
                                     const fs::path& opencl_vendors, const fs::path& folder) {
  environment_changes changes;
  bool has_opencl = false;
  std::string manifests;
  for (const driver_library& d : drivers) {
    if (d.is_registered) continue;
    fs::create_directories(folder);
    const std::string name = "found-" + d.file.filename().string();
    if (d.api == "OpenCL") {
      has_opencl = true;
      std::ofstream(folder / (name + ".icd")) << d.file.string() << "\n";
    } else {
      std::ofstream(folder / (name + ".json"))
          << "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"" << d.file.string()
          << "\", \"api_version\": \"1.3.0\"}}\n";
      manifests += (manifests.empty() ? "" : ":") + (folder / (name + ".json")).string();
    }
  }
  if (has_opencl) { // the loader reads one folder only
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(opencl_vendors, none))
      if (entry.path().extension() == ".icd")
        fs::copy_file(entry.path(), folder / entry.path().filename(), fs::copy_options::overwrite_existing,
                      none);
    changes.emplace_back("OCL_ICD_VENDORS", folder.string());
  }
  if (!manifests.empty()) changes.emplace_back("VK_ADD_DRIVER_FILES", manifests);
  return changes;
}

} // namespace prism::hardware
