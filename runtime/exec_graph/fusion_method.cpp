#include "runtime/exec_graph/fusion_method.hpp"

namespace prism::runtime {

fusion_method fusion_method_of(const device_state& device) {
  if (device.is_host()) return fusion_method::host;
  for (const image::kind kind : device.info().image_kinds) {
    if (kind == image::kind::opencl_c) return fusion_method::opencl_c;
    if (kind == image::kind::vulkan_spirv) return fusion_method::vulkan_spirv;
  }
  return fusion_method::none;
}

fusion_limits fusion_limits_of(fusion_method method) {
  fusion_limits limits;
  limits.removes_memory = true;
  limits.computes_elements = method == fusion_method::opencl_c || method == fusion_method::vulkan_spirv;
  switch (method) {
    case fusion_method::host:
      limits.kernels = 64;
      limits.argument_bytes = 64 * 1024;
      limits.arguments = 1024;
      break;
    case fusion_method::opencl_c: // limits that every driver supports
      limits.kernels = 32;
      limits.argument_bytes = 8 * 1024;
      limits.arguments = 48;
      break;
    case fusion_method::vulkan_spirv:
      limits.kernels = 32;
      limits.argument_bytes = 16 * 1024;
      limits.arguments = 256;
      break;
    case fusion_method::none: break;
  }
  return limits;
}

} // namespace prism::runtime
