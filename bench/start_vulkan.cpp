// Start-up baseline: opens an instance, the device named by the argument, a logical device and a queue.
#include "bench/vulkan_device.hpp"

int main(int count, char** words) {
  const auto [instance, physical] = bench::find_vulkan_device(count > 1 ? words[1] : "");
  if (!physical) return 1;
  VkDevice device = bench::make_vulkan_device(physical, 0);
  if (!device) return 1;
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return 0;
}
