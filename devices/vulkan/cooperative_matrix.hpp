// VK_KHR_cooperative_matrix, which Vulkan headers before 1.3.255 lack.
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

using get_cooperative_matrix_properties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*,
                                                               cooperative_matrix_properties*);

} // namespace prism::devices::vulkan::khr
