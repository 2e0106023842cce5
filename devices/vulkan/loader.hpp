// Opens libvulkan.so.1 at run time and finds its functions; PRISM does not link the loader. The library is
// never closed, because drivers leave threads and exit handlers behind. Each call of open() makes one
// `instance`, which its devices share; the VkInstance of a program is another one, which stays the program's.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan.h>

#include "devices/vulkan/cooperative_matrix.hpp"

#include <cstdint>
#include <memory>

namespace prism::devices::vulkan {

// Names without "vk". A name absent from a driver's version of Vulkan is looked up again with "KHR" appended.
// clang-format off: a table
#define PRISM_VULKAN_INSTANCE_FUNCTIONS(X) \
  X(DestroyInstance) X(EnumeratePhysicalDevices) X(EnumerateDeviceExtensionProperties) X(CreateDevice) \
  X(GetDeviceProcAddr) X(GetPhysicalDeviceProperties) \
  X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceFeatures2) \
  X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceQueueFamilyProperties) \
  X(GetPhysicalDeviceCalibrateableTimeDomainsEXT) X(GetPhysicalDeviceMemoryProperties2) \
  X(GetPhysicalDeviceExternalBufferProperties) X(GetPhysicalDeviceExternalSemaphoreProperties)

#define PRISM_VULKAN_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice) X(GetDeviceQueue) X(DeviceWaitIdle) X(QueueSubmit) X(QueueWaitIdle) \
  X(AllocateMemory) X(FreeMemory) X(MapMemory) X(CreateBuffer) X(DestroyBuffer) X(BindBufferMemory) \
  X(GetBufferMemoryRequirements) X(GetBufferDeviceAddress) X(GetMemoryHostPointerPropertiesEXT) \
  X(GetMemoryFdKHR) X(GetSemaphoreFdKHR) X(ImportSemaphoreFdKHR) \
  X(CreateSemaphore) X(DestroySemaphore) X(WaitSemaphores) X(SignalSemaphore) X(GetSemaphoreCounterValue) \
  X(CreateShaderModule) X(DestroyShaderModule) X(CreatePipelineLayout) X(DestroyPipelineLayout) \
  X(CreatePipelineCache) X(DestroyPipelineCache) X(GetPipelineCacheData) X(CreateComputePipelines) \
  X(CreateDescriptorSetLayout) X(DestroyDescriptorSetLayout) \
  X(CreateDescriptorPool) X(DestroyDescriptorPool) \
  X(AllocateDescriptorSets) X(UpdateDescriptorSets) X(DestroyPipeline) \
  X(CreateCommandPool) X(DestroyCommandPool) X(AllocateCommandBuffers) \
  X(FreeCommandBuffers) X(TrimCommandPool) \
  X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdBindPipeline) X(CmdBindDescriptorSets) \
  X(CmdPushDescriptorSetKHR) X(CmdPushConstants) X(CmdDispatch) \
  X(CmdPipelineBarrier) X(CmdCopyBuffer) X(CmdCopyBufferToImage) X(CmdCopyImageToBuffer) \
  X(CmdFillBuffer) X(CreateQueryPool) X(DestroyQueryPool) \
  X(GetQueryPoolResults) X(CmdResetQueryPool) X(CmdWriteTimestamp) X(GetCalibratedTimestampsEXT)
// clang-format on

struct instance_functions {
#define X(name) PFN_vk##name name = nullptr;
  PRISM_VULKAN_INSTANCE_FUNCTIONS(X)
#undef X
  khr::get_cooperative_matrix_properties GetPhysicalDeviceCooperativeMatrixPropertiesKHR = nullptr;
};

struct device_functions {
#define X(name) PFN_vk##name name = nullptr;
  PRISM_VULKAN_DEVICE_FUNCTIONS(X)
#undef X
};

class instance {
public:
  /// Throws device_error{unsupported} if there is no Vulkan loader, or none of version 1.1.
  instance();
  /// The program's VkInstance, made for this version. `get`: null for the loader's. Throws
  /// device_error{unsupported} for a version before 1.1.
  instance(VkInstance handle, std::uint32_t version, PFN_vkGetInstanceProcAddr get);
  ~instance();
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;

  VkInstance handle() const noexcept { return m_handle; }
  std::uint32_t version() const noexcept { return m_version; }
  const instance_functions& vk() const noexcept { return m_functions; }
  device_functions load(VkDevice device) const;

private:
  void load_functions(PFN_vkGetInstanceProcAddr get);

  VkInstance m_handle = VK_NULL_HANDLE;
  const bool m_is_adopted = false;
  std::uint32_t m_version = 0;
  instance_functions m_functions;
};

} // namespace prism::devices::vulkan
