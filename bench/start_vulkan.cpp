// Start-up baseline: an instance, the device named by the argument, a logical device and a queue.
#include <vulkan/vulkan.h>

#include <cstdint>
#include <cstring>
#include <vector>

int main(int count, char** words) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance;
  if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) return 1;
  std::uint32_t device_count = 0;
  vkEnumeratePhysicalDevices(instance, &device_count, nullptr);
  std::vector<VkPhysicalDevice> devices(device_count);
  vkEnumeratePhysicalDevices(instance, &device_count, devices.data());
  for (VkPhysicalDevice physical : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    if (count > 1 && std::strcmp(properties.deviceName, words[1]) != 0) continue;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info{};
    queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkDeviceCreateInfo device_info{};
    device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    VkDevice device;
    if (vkCreateDevice(physical, &device_info, nullptr, &device) != VK_SUCCESS) return 1;
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
    return 0;
  }
  return 1;
}
