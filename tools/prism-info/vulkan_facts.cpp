// See driver_facts.hpp. Asks the Vulkan loader that the backend has opened.
#include "tools/prism-info/driver_facts.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

namespace prism::info {

json vulkan_facts(const devices::device& device) {
  json facts = json::object();
  void* const loader = dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_NOLOAD);
  const auto ask = loader ? reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(
                                dlsym(loader, "vkGetPhysicalDeviceProperties2"))
                          : nullptr;
  const auto handle = static_cast<VkPhysicalDevice>(device.native("VkPhysicalDevice"));
  if (!ask || !handle) return facts;
  VkPhysicalDeviceDriverProperties driver{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, nullptr, {}, {}, {}, {}};
  VkPhysicalDeviceIDProperties ids{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, &driver, {}, {}, {}, 0, VK_FALSE};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &ids, {}};
  ask(handle, &all);
  facts["device_uuid"] = uuid_text(ids.deviceUUID);
  facts["driver_uuid"] = uuid_text(ids.driverUUID);
  facts["driver_id"] = static_cast<unsigned>(driver.driverID);
  facts["driver_name"] = driver.driverName;
  facts["driver_info"] = driver.driverInfo;
  const VkConformanceVersion& passed = driver.conformanceVersion;
  facts["conformance_version"] =
      fmt::format("{}.{}.{}.{}", passed.major, passed.minor, passed.subminor, passed.patch);
  facts["images"] = all.properties.limits.maxImageDimension2D != 0;
  return facts;
}

} // namespace prism::info
