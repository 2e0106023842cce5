// The number of compute units, which Vulkan itself does not say: from what NVIDIA's, AMD's and ARM's drivers
// report in extensions of their own. Pure.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>

namespace prism::devices::vulkan {

struct unit_properties { // a structure of zeros: the driver does not have the extension
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCorePropertiesAMD amd{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD};
  VkPhysicalDeviceShaderCoreProperties2AMD active_amd{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD};
  VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM};
};

/// 1 if the driver says nothing.
inline std::uint32_t compute_units_of(const unit_properties& of) noexcept {
  const std::uint32_t all_amd =
      of.amd.shaderEngineCount * of.amd.shaderArraysPerEngineCount * of.amd.computeUnitsPerShaderArray;
  return std::max({1u, of.nvidia.shaderSMCount, of.arm.shaderCoreCount,
                   of.active_amd.activeComputeUnitCount ? of.active_amd.activeComputeUnitCount : all_amd});
}

} // namespace prism::devices::vulkan
