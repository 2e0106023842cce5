// The first steps of plain Vulkan, for the baselines and for tests that call Vulkan themselves: an instance,
// the device with a name, a logical device. C++17.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::uint32_t vulkan_version = VK_API_VERSION_1_2;

/// Both are null if Vulkan does not start; only `physical` is null if no device has the name.
struct vulkan_device {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
};

/// The device with this name, or any device if the name is empty.
inline vulkan_device find_vulkan_device(const std::string& name) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = vulkan_version;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  vulkan_device found;
  if (vkCreateInstance(&info, nullptr, &found.instance) != VK_SUCCESS) return {};
  std::uint32_t count = 0;
  vkEnumeratePhysicalDevices(found.instance, &count, nullptr);
  std::vector<VkPhysicalDevice> all(count);
  vkEnumeratePhysicalDevices(found.instance, &count, all.data());
  for (VkPhysicalDevice device : all) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    if (!found.physical && (name.empty() || properties.deviceName == name)) found.physical = device;
  }
  return found;
}

/// What vkCreateDevice gets: one queue of the family, and the chain of features. `info` points into the
/// object.
struct vulkan_device_request {
  vulkan_device_request(std::uint32_t family, const void* features) {
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueFamilyIndex = family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
  }
  vulkan_device_request(const vulkan_device_request&) = delete;

  float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  VkDeviceCreateInfo info{};
};

/// With one queue of the family; null if it cannot be created. `extended`: the chain of features in addition
/// to `features`.
inline VkDevice make_vulkan_device(VkPhysicalDevice physical, std::uint32_t family,
                                   const void* extended = nullptr,
                                   const VkPhysicalDeviceFeatures* features = nullptr) {
  vulkan_device_request request(family, extended);
  request.info.pEnabledFeatures = features;
  VkDevice made = VK_NULL_HANDLE;
  return vkCreateDevice(physical, &request.info, nullptr, &made) == VK_SUCCESS ? made : VK_NULL_HANDLE;
}

} // namespace bench
