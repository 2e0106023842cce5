#include "devices/opencl/usm.hpp"

namespace prism::devices::opencl {

usm_calls find_usm_calls(const entry_points& api, cl_platform_id platform) {
  usm_calls found;
  if (!api.clGetExtensionFunctionAddressForPlatform) return found;
  bool complete = true;
  const auto find = [&](auto& call, const char* name) {
    call = reinterpret_cast<std::remove_reference_t<decltype(call)>>(
        api.clGetExtensionFunctionAddressForPlatform(platform, name));
    complete = complete && call != nullptr;
  };
  find(found.allocate_host, "clHostMemAllocINTEL");
  find(found.allocate_device, "clDeviceMemAllocINTEL");
  find(found.allocate_shared, "clSharedMemAllocINTEL");
  find(found.free, "clMemFreeINTEL");
  find(found.set_argument, "clSetKernelArgMemPointerINTEL");
  find(found.fill, "clEnqueueMemFillINTEL");
  find(found.copy, "clEnqueueMemcpyINTEL");
  return complete ? found : usm_calls{};
}

} // namespace prism::devices::opencl
