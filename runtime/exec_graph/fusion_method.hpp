// How a device executes fused kernels, and how many it can execute as one launch.
#pragma once

#include "runtime/device/device_state.hpp"
#include "runtime/exec_graph/fusion.hpp"

namespace prism::runtime {

/// Host pieces executed one after another, one OpenCL C text, one SPIR-V module.
enum class fusion_method { none, host, opencl_c, vulkan_spirv };
fusion_method fusion_method_of(const device_state& device);
fusion_limits fusion_limits_of(fusion_method method);

} // namespace prism::runtime
