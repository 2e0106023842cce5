#include "devices/opencl/backend.hpp"

#include "devices/opencl/device.hpp"
#include "devices/opencl/pocl_cache.hpp"

namespace prism::devices {
namespace opencl {
namespace {

struct platform_devices {
  cl_platform_id platform;
  std::vector<cl_device_id> devices;
};

struct selection {
  std::vector<platform_devices> platforms;
  std::string remarks; // what was left out, and why
  void remark(const std::string& text) { remarks += (remarks.empty() ? "" : "; ") + text; }
};

/// Why the device cannot be used; empty if it can.
std::string why_not(const entry_points& api, cl_device_id device) {
  if (!device_property<cl_bool>(api, device, CL_DEVICE_AVAILABLE)) return "is not available";
  if (!device_property<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
  if (!device_property<cl_bool>(api, device, CL_DEVICE_ENDIAN_LITTLE)) return "is big-endian";
  const std::string version = device_text(api, device, CL_DEVICE_VERSION); // "OpenCL 1.2 ..."
  if (version.rfind("OpenCL 1.0", 0) == 0 || version.rfind("OpenCL 1.1", 0) == 0)
    return "is older than OpenCL 1.2";
  const std::string profile = device_text(api, device, CL_DEVICE_PROFILE);
  if (profile != "FULL_PROFILE" &&
      device_text(api, device, CL_DEVICE_EXTENSIONS).find("cles_khr_int64") == std::string::npos)
    return "has no 64-bit integers";
  return {};
}

selection select_devices(const entry_points& api) {
  selection found;
  cl_uint count = 0;
  if (api.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    found.remark("no OpenCL driver is installed");
    return found;
  }
  std::vector<cl_platform_id> platforms(count);
  check(api.clGetPlatformIDs(count, platforms.data(), nullptr), "list OpenCL platforms");
  for (cl_platform_id platform : platforms) {
    const std::string name = platform_text(api, platform, CL_PLATFORM_NAME);
    if (name == "Clover") {
      found.remark("platform Clover is skipped, because rusticl replaces it");
      continue;
    }
    cl_uint members = 0;
    if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &members) != CL_SUCCESS ||
        members == 0) {
      // pocl_cache_init fails, and with it every query of devices, if the folder cannot be made
      const bool is_pocl = name == "Portable Computing Language";
      found.remark("platform " + name + " has no devices" +
                   (is_pocl ? " (" + std::string(pocl_needs_a_cache) + ")" : ""));
      continue;
    }
    platform_devices entry{platform, {}};
    std::vector<cl_device_id> devices(members);
    check(api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, members, devices.data(), nullptr),
          "list OpenCL devices");
    for (cl_device_id device : devices) {
      const std::string reason = why_not(api, device);
      if (reason.empty()) entry.devices.push_back(device);
      else found.remark("device " + device_text(api, device, CL_DEVICE_NAME) + " " + reason);
    }
    if (!entry.devices.empty()) found.platforms.push_back(std::move(entry));
  }
  return found;
}

probe_result probe() {
  probe_result result;
  const load_result& library = load();
  if (!library.api) {
    result.reason = library.reason;
    return result;
  }
  try {
    const selection found = select_devices(*library.api);
    for (const auto& platform : found.platforms)
      result.device_count += static_cast<std::uint32_t>(platform.devices.size());
    result.reason = found.remarks;
  } catch (const device_error& error) {
    result.reason = error.what();
  }
  result.usable = result.device_count != 0;
  return result;
}

std::vector<std::unique_ptr<device>> open() {
  const load_result& library = load();
  if (!library.api)
    throw device_error(error_category::unsupported, "", "open OpenCL devices: " + library.reason);
  std::vector<std::unique_ptr<device>> opened;
  std::string broken;
  const selection found = select_devices(*library.api);
  for (const auto& [platform, devices] : found.platforms) {
    try {
      auto context = std::make_shared<platform_context>(*library.api, platform, devices);
      for (cl_device_id device : devices) opened.push_back(std::make_unique<opencl_device>(context, device));
    } catch (const device_error& error) { // one driver's failure must not hide the others
      broken += std::string(broken.empty() ? "" : "; ") + error.what();
    }
  }
  if (opened.empty() && !broken.empty())
    throw device_error(error_category::other, "", "open OpenCL devices: " + broken);
  return opened;
}

} // namespace
} // namespace opencl

const backend& opencl_backend() {
  static const backend record = [] {
    backend made;
    made.name = "opencl";
    made.display_name = "OpenCL";
    made.type = "opencl";
    made.required_libraries = "libOpenCL.so.1";
    made.priority = 50;
    made.probe = opencl::probe;
    made.open = opencl::open;
    return made;
  }();
  return record;
}

} // namespace prism::devices
