// See doctor.hpp. Each check is a function that appends its lines.
#include "tools/prism-info/doctor.hpp"

#include "devices/driver_files.hpp"
#include "devices/probe.hpp"
#include "tools/prism-info/child.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gnu/libc-version.h>
#include <grp.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace prism::info {
namespace {

namespace fs = std::filesystem;

void line(std::string& text, const char* verdict, const std::string& what) {
  text += fmt::format("  {:<8} {}\n", verdict, what);
}

/// Resolved path of a library that the dynamic linker finds. If it does not, or if the library crashes or
/// hangs as it is loaded, returns an empty text and sets `error`. A child process loads it.
std::string library_path(const std::string& name, std::chrono::seconds limit, std::string& error) {
  child_output found = run_child("--load", name, "loading it", limit);
  error = found.fault;
  if (!error.empty()) return "";
  return found.text.substr(found.text.find_last_of('\n') + 1); // drivers may print as they are loaded
}

void check_loader(std::string& text, const std::string& name, const std::string& package,
                  std::chrono::seconds limit) {
  std::string error;
  const std::string path = library_path(name, limit, error);
  if (!path.empty()) line(text, "ok", fmt::format("loader {} ({})", name, path));
  else
    line(text, "missing", fmt::format("loader {}: {}. Install it: apt-get install {}", name, error, package));
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> all;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == extension) all.push_back(entry.path());
  return all;
}

void check_driver_library(std::string& text, const fs::path& icd, const std::string& library,
                          std::chrono::seconds limit) {
  std::string error;
  if (!library_path(library, limit, error).empty())
    line(text, "ok", fmt::format("{} -> {}", icd.string(), library));
  else
    line(text, "problem",
         fmt::format("{} names {}, which cannot be loaded: {}. Reinstall that driver's package.",
                     icd.string(), library, error));
}

void check_opencl(std::string& text, std::chrono::seconds limit) {
  text += "OpenCL\n";
  check_loader(text, "libOpenCL.so.1", "ocl-icd-libopencl1", limit);
  std::string folder = "/etc/OpenCL/vendors";
  for (const char* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"})
    if (const char* value = std::getenv(variable); value && *value) {
      line(text, "hint", fmt::format("{}={} says where the drivers are", variable, value));
      if (variable != std::string_view("OCL_ICD_FILENAMES")) folder = value;
    }
  const auto icds = devices::driver_files("opencl");
  if (icds.empty())
    line(text, "missing",
         fmt::format("no driver: {} has no .icd file. Install one: apt-get install pocl-opencl-icd (CPU), "
                     "mesa-opencl-icd, intel-opencl-icd or nvidia-opencl-icd (GPU)",
                     folder));
  for (const fs::path& icd : icds) {
    const std::string library = devices::opencl_library_of(icd);
    check_driver_library(text, icd, library, limit);
    if (library.find("Rusticl") != library.npos && !std::getenv("RUSTICL_ENABLE"))
      line(text, "hint",
           "rusticl shows devices only if RUSTICL_ENABLE names a driver: RUSTICL_ENABLE=llvmpipe (or iris, "
           "radeonsi, ...)");
  }
}

/// The paths in a variable that separates them by colons.
std::vector<fs::path> paths_in(const std::string& value) {
  std::vector<fs::path> all;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(':', begin), value.size());
    if (end > begin) all.emplace_back(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

/// Where the Vulkan loader looks for layers of a kind: "explicit_layer.d", "implicit_layer.d".
std::vector<fs::path> vulkan_folders(const char* kind) {
  std::vector<fs::path> all;
  const char* home = std::getenv("HOME");
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data && *data) all.push_back(fs::path(data) / "vulkan" / kind);
  else if (home && *home) all.push_back(fs::path(home) / ".local/share/vulkan" / kind);
  for (const char* folder : {"/etc/vulkan", "/usr/local/share/vulkan", "/usr/share/vulkan"})
    all.push_back(fs::path(folder) / kind);
  return all;
}

/// A manifest may name its library relative to itself.
std::string library_of(const fs::path& manifest, const json& entry) {
  const std::string library = entry["library_path"];
  if (library.find('/') == library.npos || fs::path(library).is_absolute()) return library;
  return (manifest.parent_path() / library).string();
}

void check_layer(std::string& text, const fs::path& manifest, const json& layer, bool implicit,
                 std::chrono::seconds limit) {
  if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) return;
  const std::string name = layer["name"];
  std::string error;
  const bool has_library = layer.contains("library_path") && layer["library_path"].is_string();
  if (has_library && library_path(library_of(manifest, layer), limit, error).empty()) {
    line(text, "problem",
         fmt::format("layer {} ({}) cannot be loaded: {}. Reinstall its package.", name, manifest.string(),
                     error));
    return;
  }
  std::string off;
  if (implicit && layer.contains("disable_environment") && layer["disable_environment"].is_object())
    for (const auto& [variable, value] : layer["disable_environment"].items())
      off = fmt::format("; {}=1 turns it off", variable);
  line(text, "ok",
       fmt::format("layer {} ({}{})", name,
                   implicit ? "implicit: in every program that uses Vulkan" : "explicit", off));
}

/// Layers stand between programs and drivers: one that fails hides all devices.
void check_layers(std::string& text, std::chrono::seconds limit) {
  if (const char* wanted = std::getenv("VK_INSTANCE_LAYERS"))
    line(text, "hint", fmt::format("VK_INSTANCE_LAYERS={} turns layers on in every program", wanted));
  for (const bool implicit : {true, false}) {
    std::vector<fs::path> folders = vulkan_folders(implicit ? "implicit_layer.d" : "explicit_layer.d");
    if (const char* own = implicit ? nullptr : std::getenv("VK_LAYER_PATH")) folders = paths_in(own);
    for (const fs::path& folder : folders)
      for (const fs::path& manifest : files_in(folder, ".json")) {
        const json parsed = json::parse(std::ifstream(manifest), nullptr, false);
        if (!parsed.is_object()) {
          line(text, "problem", fmt::format("{} is not a readable layer file", manifest.string()));
          continue;
        }
        if (parsed.contains("layer")) check_layer(text, manifest, parsed["layer"], implicit, limit);
        if (parsed.contains("layers") && parsed["layers"].is_array())
          for (const json& layer : parsed["layers"]) check_layer(text, manifest, layer, implicit, limit);
      }
  }
}

void check_vulkan(std::string& text, std::chrono::seconds limit) {
  text += "Vulkan\n";
  check_loader(text, "libvulkan.so.1", "libvulkan1", limit);
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"})
    if (const char* value = std::getenv(variable)) {
      line(text, "hint",
           fmt::format("{}={} {} the installed drivers", variable, value,
                       variable == std::string_view("VK_ADD_DRIVER_FILES") ? "is used with" : "replaces"));
      for (const fs::path& each : paths_in(value))
        if (!fs::exists(each)) line(text, "problem", fmt::format("{} does not exist", each.string()));
    }
  const auto icds = devices::driver_files("vulkan");
  if (icds.empty())
    line(text, "missing",
         "no driver: no ICD file under /usr/share/vulkan/icd.d or /etc/vulkan/icd.d. Install one: apt-get "
         "install mesa-vulkan-drivers (AMD, Intel, CPU) or nvidia-vulkan-icd");
  for (const fs::path& icd : icds) {
    const json parsed = json::parse(std::ifstream(icd), nullptr, false);
    if (!parsed.is_object() || !parsed.contains("ICD") || !parsed["ICD"].is_object() ||
        !parsed["ICD"].contains("library_path") || !parsed["ICD"]["library_path"].is_string()) {
      line(text, "problem", fmt::format("{} is not a readable ICD file", icd.string()));
      continue;
    }
    check_driver_library(text, icd, library_of(icd, parsed["ICD"]), limit);
  }
  check_layers(text, limit);
}

std::string group_name(gid_t id) {
  const group* const found = getgrgid(id);
  return found ? found->gr_name : std::to_string(id);
}

/// "render" if the node's group is not one of this process.
std::optional<std::string> missing_group(const struct stat& node) {
  std::vector<gid_t> own(std::size_t(std::max(0, getgroups(0, nullptr))));
  own.resize(std::size_t(std::max(0, getgroups(int(own.size()), own.data()))));
  own.push_back(getegid());
  if (std::find(own.begin(), own.end(), node.st_gid) != own.end()) return std::nullopt;
  return group_name(node.st_gid);
}

void check_node(std::string& text, const fs::path& path) {
  struct stat node{};
  if (stat(path.c_str(), &node) != 0) return;
  const std::string access_text =
      fmt::format("{} (group {}, mode {:04o})", path.string(), group_name(node.st_gid), node.st_mode & 07777);
  if (access(path.c_str(), R_OK | W_OK) == 0) return line(text, "ok", access_text);
  const std::optional<std::string> group = missing_group(node);
  line(text, "problem",
       group ? fmt::format(
                   "this user may not open {}, whose group it is not in. Join it: sudo usermod -aG {} $USER, "
                   "then log in again",
                   access_text, *group)
             : fmt::format("this user may not open {} although it is in its group: the mode denies it",
                           access_text));
}

void check_versions(std::string& text, const json& report) {
  text += "Versions\n";
  utsname system{};
  if (uname(&system) == 0)
    line(text, "ok",
         fmt::format("PRISM {}, {} {} on {}, glibc {}", report["prism_version"].get<std::string>(),
                     system.sysname, system.release, system.machine, gnu_get_libc_version()));
}

std::string text_or(const json& object, const char* key, const char* otherwise) {
  if (!object.contains(key)) return otherwise;
  const json& value = object[key];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What distinguishes drivers, and identifies one device behind two of them.
void describe_device(std::string& text, const std::string& backend, const json& device) {
  const json& driver = device["driver"];
  line(text, "ok",
       fmt::format("{}:{} {}: version {}, driver {}", backend, device["index"].get<unsigned>(),
                   device["name"].get<std::string>(), text_or(device, "version", "?"),
                   text_or(device, "driver_version", "?")));
  const auto detail = [&](const std::string& what) { text += fmt::format("           {}\n", what); };
  if (driver.contains("driver_id"))
    detail(fmt::format("driver id {} ({}, {})", driver["driver_id"].get<unsigned>(),
                       text_or(driver, "driver_name", ""), text_or(driver, "driver_info", "")));
  if (!driver.empty())
    detail("conformance version " + text_or(driver, "conformance_version", "not reported"));
  if (driver.contains("device_uuid"))
    detail(fmt::format("device UUID {}, driver UUID {}", text_or(driver, "device_uuid", ""),
                       text_or(driver, "driver_uuid", "not reported")));
  std::string widths;
  for (const auto& [type, width] : device["native_vector_widths"].items())
    widths += fmt::format("{}{} {}", widths.empty() ? "" : ", ", type, width.get<unsigned>());
  detail(fmt::format("cache line {} bytes, vector widths: {}", device["cache_line_bytes"].get<unsigned>(),
                     widths));
  detail(fmt::format("images: {}; PRISM does not use them", !driver.contains("images") ? "not reported"
                                                            : driver["images"].get<bool>()
                                                                ? "the driver has them"
                                                                : "none"));
}

void check_nodes(std::string& text) {
  text += "Device nodes\n";
  bool any = false;
  for (const char* folder : {"/dev/dri", "/dev"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename();
      if (name.rfind("renderD", 0) != 0 && name.rfind("nvidia", 0) != 0 && name != "kfd" && name != "dxg")
        continue;
      if (entry.is_directory(ignored)) continue;
      any = true;
      check_node(text, entry.path());
    }
  }
  if (!any)
    line(text, "hint",
         "no GPU node (/dev/dri/renderD*, /dev/nvidia*, /dev/kfd): no GPU, no kernel driver, or a container "
         "without it");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", ignored)) {
    std::string class_code, vendor;
    std::ifstream(entry.path() / "class") >> class_code;
    std::ifstream(entry.path() / "vendor") >> vendor;
    if (class_code.rfind("0x03", 0) != 0) continue;
    const bool bound = fs::exists(entry.path() / "driver", ignored);
    line(text, bound ? "ok" : "problem",
         fmt::format("PCI display device {} (vendor {}){}", entry.path().filename().string(), vendor,
                     bound ? "" : ": no kernel driver is bound to it"));
  }
}

} // namespace

void load_child(const std::string& library) {
  if (const std::string why = devices::why_not_loaded(library); !why.empty()) end_child(why, 1);
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  Dl_info info{};
  for (const char* symbol :
       {"clGetPlatformIDs", "vkGetInstanceProcAddr", "vk_icdGetInstanceProcAddr", "clIcdGetPlatformIDsKHR"})
    if (void* address = dlsym(handle, symbol); address && dladdr(address, &info)) break;
  end_child(info.dli_fname ? info.dli_fname : library, 0);
}

std::string diagnose_drivers(std::chrono::seconds limit) {
  std::string text;
  check_opencl(text, limit);
  check_vulkan(text, limit);
  return text;
}

std::string diagnose(const json& report, const std::string& drivers) {
  std::string text;
  check_versions(text, report);
  text += drivers;
  check_nodes(text);
  text += "Backends\n";
  for (const auto& b : report["backends"]) {
    const std::string reason = b["reason"];
    line(text,
         b["status"] == "usable"   ? "ok"
         : b["status"] == "broken" ? "problem"
                                   : "missing",
         fmt::format("{}: {} devices{}{}", b["name"].get<std::string>(), b["devices"].size(),
                     reason.empty() ? "" : ": ", reason));
  }
  text += "Devices\n";
  for (const auto& b : report["backends"])
    for (const auto& device : b["devices"]) describe_device(text, b["name"], device);
  for (const auto& r : report["refused"])
    line(text, "problem",
         fmt::format("{}: {}", r["name"].get<std::string>(), r["reason"].get<std::string>()));
  return text;
}

} // namespace prism::info
