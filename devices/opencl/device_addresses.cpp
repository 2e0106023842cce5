#include "devices/opencl/device_addresses.hpp"

#include "devices/opencl/convert.hpp"

#include <algorithm>

namespace prism::devices::opencl {

set_device_pointer find_device_addresses(const entry_points& api, cl_platform_id platform,
                                         cl_device_id device) {
  if (!api.clGetExtensionFunctionAddressForPlatform || !api.clCreateBufferWithProperties ||
      !api.clSetKernelExecInfo || device_property<cl_uint>(api, device, CL_DEVICE_ADDRESS_BITS) != 64 ||
      device_text(api, device, CL_DEVICE_EXTENSIONS).find("cl_ext_buffer_device_address") ==
          std::string::npos)
    return nullptr;
  return reinterpret_cast<set_device_pointer>(
      api.clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgDevicePointerEXT"));
}

addressed_buffer create_addressed_buffer(const entry_points& api, cl_context context,
                                         const std::vector<cl_device_id>& devices, cl_device_id device,
                                         std::uint64_t bytes, cl_int& code) {
  const cl_mem_properties properties[] = {mem_device_private_address, CL_TRUE, 0};
  cl_mem made =
      api.clCreateBufferWithProperties(context, properties, CL_MEM_READ_WRITE, bytes, nullptr, &code);
  if (code != CL_SUCCESS) return {};
  addressed_buffer out{memory_handle(api, made), 0};
  std::vector<cl_ulong> addresses(devices.size());
  code = api.clGetMemObjectInfo(made, mem_device_address, addresses.size() * sizeof(cl_ulong),
                                addresses.data(), nullptr);
  const auto at = std::find(devices.begin(), devices.end(), device);
  if (code == CL_SUCCESS && at != devices.end())
    out.address = addresses[static_cast<std::size_t>(at - devices.begin())];
  if (out.address != 0) return out;
  if (code == CL_SUCCESS) code = CL_INVALID_MEM_OBJECT; // no address, or a sub-device's
  return {};
}

} // namespace prism::devices::opencl
