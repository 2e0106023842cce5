// See doctor.hpp. Each check is a function that appends its lines.
#include "tools/prism-info/doctor.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <grp.h>
#include <unistd.h>

namespace prism::info {
namespace {

namespace fs = std::filesystem;

void line(std::string& text, const char* verdict, const std::string& what) {
  text += fmt::format("  {:<8} {}\n", verdict, what);
}

/// Resolved path of a library that the dynamic linker finds. If it does not, returns an empty text and sets
/// `error`.
std::string library_path(const std::string& name, std::string& error) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle) {
    error = dlerror();
    return "";
  }
  Dl_info info{};
  for (const char* symbol :
       {"clGetPlatformIDs", "vkGetInstanceProcAddr", "vk_icdGetInstanceProcAddr", "clIcdGetPlatformIDsKHR"})
    if (void* address = dlsym(handle, symbol); address && dladdr(address, &info)) break;
  return info.dli_fname ? info.dli_fname : name;
}

void check_loader(std::string& text, const std::string& name, const std::string& package) {
  std::string error;
  const std::string path = library_path(name, error);
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

void check_driver_library(std::string& text, const fs::path& icd, const std::string& library) {
  std::string error;
  if (!library_path(library, error).empty()) line(text, "ok", fmt::format("{} -> {}", icd.string(), library));
  else
    line(text, "problem",
         fmt::format("{} names {}, which cannot be loaded: {}. Reinstall that driver's package.",
                     icd.string(), library, error));
}

void check_opencl(std::string& text) {
  text += "OpenCL\n";
  check_loader(text, "libOpenCL.so.1", "ocl-icd-libopencl1");
  const char* vendors = std::getenv("OCL_ICD_VENDORS");
  const fs::path folder = vendors && fs::is_directory(vendors) ? vendors : "/etc/OpenCL/vendors";
  const auto icds = files_in(folder, ".icd");
  if (icds.empty())
    line(text, "missing",
         fmt::format("no driver: {} has no .icd file. Install one: apt-get install pocl-opencl-icd (CPU), "
                     "mesa-opencl-icd, intel-opencl-icd or nvidia-opencl-icd (GPU)",
                     folder.string()));
  for (const fs::path& icd : icds) {
    std::string library;
    std::getline(std::ifstream(icd), library);
    check_driver_library(text, icd, library);
    if (library.find("Rusticl") != library.npos && !std::getenv("RUSTICL_ENABLE"))
      line(
          text, "hint",
          "rusticl shows devices only if RUSTICL_ENABLE names a driver: RUSTICL_ENABLE=llvmpipe (or iris, radeonsi, ...)");
  }
}

void check_vulkan(std::string& text) {
  text += "Vulkan\n";
  check_loader(text, "libvulkan.so.1", "libvulkan1");
  std::vector<fs::path> icds;
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const char* value = std::getenv(variable)) {
      line(text, "hint", fmt::format("{}={} replaces the installed drivers", variable, value));
      icds.push_back(value);
    }
  if (icds.empty())
    for (const char* folder :
         {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"})
      for (const fs::path& icd : files_in(folder, ".json")) icds.push_back(icd);
  if (icds.empty())
    line(text, "missing",
         "no driver: no ICD file under /usr/share/vulkan/icd.d or /etc/vulkan/icd.d. Install one: apt-get "
         "install mesa-vulkan-drivers (AMD, Intel, CPU) or nvidia-vulkan-icd");
  for (const fs::path& icd : icds) {
    const json parsed = json::parse(std::ifstream(icd), nullptr, false);
    if (parsed.is_discarded() || !parsed.contains("ICD") || !parsed["ICD"].contains("library_path")) {
      line(text, "problem", fmt::format("{} is not a readable ICD file", icd.string()));
      continue;
    }
    std::string library = parsed["ICD"]["library_path"];
    if (library.find('/') != library.npos && fs::path(library).is_relative())
      library = (icd.parent_path() / library).string();
    check_driver_library(text, icd, library);
  }
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
      if (access(entry.path().c_str(), R_OK | W_OK) == 0) line(text, "ok", entry.path().string());
      else
        line(
            text, "problem",
            fmt::format(
                "this user may not open {}. Join its group: sudo usermod -aG render,video $USER, then log in again",
                entry.path().string()));
    }
  }
  if (!any)
    line(
        text, "hint",
        "no GPU node (/dev/dri/renderD*, /dev/nvidia*, /dev/kfd): no GPU, no kernel driver, or a container without it");
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

std::string diagnose(const json& report) {
  std::string text;
  check_opencl(text);
  check_vulkan(text);
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
  for (const auto& r : report["refused"])
    line(text, "problem",
         fmt::format("{}: {}", r["name"].get<std::string>(), r["reason"].get<std::string>()));
  return text;
}

} // namespace prism::info
