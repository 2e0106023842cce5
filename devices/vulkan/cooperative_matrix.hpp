// VK_KHR_cooperative_matrix, which Vulkan headers before 1.3.255 lack, and VK_KHR_shader_bfloat16, which
// those before 1.4.311 lack.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan.h>

#include <cstdint>

namespace prism::devices::vulkan::khr {

inline constexpr const char* cooperative_matrix_extension = "VK_KHR_cooperative_matrix";

struct cooperative_matrix_features { // VkPhysicalDeviceCooperativeMatrixFeaturesKHR
  VkStructureType sType = static_cast<VkStructureType>(1000506000);
  void* pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE, cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

struct cooperative_matrix_stages { // VkPhysicalDeviceCooperativeMatrixPropertiesKHR
  VkStructureType sType = static_cast<VkStructureType>(1000506002);
  void* pNext = nullptr;
  VkShaderStageFlags cooperativeMatrixSupportedStages = 0;
};

struct cooperative_matrix_properties { // VkCooperativeMatrixPropertiesKHR
  VkStructureType sType = static_cast<VkStructureType>(1000506001);
  void* pNext = nullptr;
  std::uint32_t MSize = 0, NSize = 0, KSize = 0;
  std::uint32_t AType = 0, BType = 0, CType = 0, ResultType = 0; // VkComponentTypeKHR
  VkBool32 saturatingAccumulation = VK_FALSE;
  std::uint32_t scope = 0; // VkScopeKHR
};
inline constexpr std::uint32_t scope_subgroup = 3;
inline constexpr std::uint32_t component_bfloat16 = 1000141000; // VK_COMPONENT_TYPE_BFLOAT16_KHR

using get_cooperative_matrix_properties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*,
                                                               cooperative_matrix_properties*);

inline constexpr const char* bfloat16_extension = "VK_KHR_shader_bfloat16";

struct bfloat16_features { // VkPhysicalDeviceShaderBfloat16FeaturesKHR
  VkStructureType sType = static_cast<VkStructureType>(1000141000);
  void* pNext = nullptr;
  VkBool32 shaderBFloat16Type = VK_FALSE, shaderBFloat16DotProduct = VK_FALSE,
           shaderBFloat16CooperativeMatrix = VK_FALSE;
};

} // namespace prism::devices::vulkan::khr
