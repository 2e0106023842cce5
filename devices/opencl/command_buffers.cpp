#include "devices/opencl/command_buffers.hpp"

#include "devices/opencl/convert.hpp"

#include <cstring>
#include <vector>

namespace prism::devices::opencl {

namespace {

constexpr const char* extension = "cl_khr_command_buffer";
constexpr cl_device_info capabilities_query = 0x12A9, required_queue_properties_query = 0x12AA;
constexpr cl_bitfield simultaneous_use = 1u << 2;

/// 0 if the device lacks it, or if its OpenCL does not report versions.
cl_version version_of(const entry_points& api, cl_device_id device) {
  std::size_t bytes = 0;
  if (api.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &bytes) != CL_SUCCESS)
    return 0;
  std::vector<cl_name_version> all(bytes / sizeof(cl_name_version));
  if (api.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, all.data(), nullptr) !=
      CL_SUCCESS)
    return 0;
  for (const cl_name_version& each : all)
    if (std::strcmp(each.name, extension) == 0) return each.version;
  return 0;
}

std::string refusal_of(const entry_points& api, cl_device_id device) {
  const std::string name = device_text(api, device, CL_DEVICE_NAME) + " ";
  const cl_version version = version_of(api, device);
  if (version == 0) return name + "has no " + extension;
  if (version < CL_MAKE_VERSION(0, 9, 0) || version > CL_MAKE_VERSION(0, 9, 4))
    return name + "has " + extension + " " + std::to_string(CL_VERSION_MAJOR(version)) + "." +
           std::to_string(CL_VERSION_MINOR(version)) + "." + std::to_string(CL_VERSION_PATCH(version)) +
           ", whose functions differ from those of 0.9.0 to 0.9.4";
  if (!(device_property<cl_bitfield>(api, device, capabilities_query) & simultaneous_use))
    return name + "runs a command buffer only after its last execution has completed";
  if (device_property<cl_bitfield>(api, device, required_queue_properties_query) != 0)
    return name + "runs command buffers only on queues with special properties";
  return {};
}

} // namespace

command_buffer_calls find_command_buffers(const entry_points& api, cl_platform_id platform,
                                          cl_device_id device) {
  command_buffer_calls found;
  found.refusal = api.clGetExtensionFunctionAddressForPlatform
                      ? refusal_of(api, device)
                      : "the OpenCL library has no clGetExtensionFunctionAddressForPlatform";
  if (!found.refusal.empty()) return found;
  const auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(
        api.clGetExtensionFunctionAddressForPlatform(platform, name));
    if (call == nullptr)
      found.refusal = device_text(api, device, CL_DEVICE_NAME) + " lacks the function " + name;
  };
  find(found.create, "clCreateCommandBufferKHR");
  find(found.finalize, "clFinalizeCommandBufferKHR");
  find(found.release, "clReleaseCommandBufferKHR");
  find(found.enqueue, "clEnqueueCommandBufferKHR");
  find(found.launch, "clCommandNDRangeKernelKHR");
  find(found.copy, "clCommandCopyBufferKHR");
  find(found.copy_box, "clCommandCopyBufferRectKHR");
  find(found.fill, "clCommandFillBufferKHR");
  if (found.refusal.empty()) return found;
  command_buffer_calls none;
  none.refusal = std::move(found.refusal);
  return none;
}

} // namespace prism::devices::opencl
