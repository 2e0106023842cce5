#include "devices/vulkan/loader.hpp"

#include "devices/vulkan/convert.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>

namespace prism::devices::vulkan {

namespace {

PFN_vkGetInstanceProcAddr entry_point() {
  static void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw device_error(
        error_category::unsupported, "",
        "opening Vulkan: the loader libvulkan.so.1 was not found; install it (Debian: libvulkan1)");
  auto* const get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!get)
    throw device_error(error_category::unsupported, "",
                       "opening Vulkan: libvulkan.so.1 lacks vkGetInstanceProcAddr");
  return get;
}

template <class Function, class Get>
Function resolve(const char* name, Get get) {
  if (auto* found = get(name)) return reinterpret_cast<Function>(found);
  return reinterpret_cast<Function>(get((std::string(name) + "KHR").c_str()));
}

} // namespace

instance::instance() {
  const auto get = entry_point();
  const auto enumerate_version = resolve<PFN_vkEnumerateInstanceVersion>(
      "vkEnumerateInstanceVersion", [&](const char* name) { return get(VK_NULL_HANDLE, name); });
  m_version = VK_API_VERSION_1_0;
  if (enumerate_version) check(enumerate_version(&m_version), "asking for the version of Vulkan");
  if (m_version < VK_API_VERSION_1_1)
    throw device_error(error_category::unsupported, "",
                       "opening Vulkan: the loader has version " + version_text(m_version) +
                           ", 1.1 or later is needed");

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "PRISM";
  application.apiVersion = std::min<std::uint32_t>(m_version, VK_API_VERSION_1_3);
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  check(create(&info, nullptr, &m_handle), "creating a Vulkan instance");
  load_functions(get);
}

instance::instance(VkInstance handle, std::uint32_t version, PFN_vkGetInstanceProcAddr get)
    : m_handle(handle), m_is_adopted(true), m_version(version) {
  if (m_version < VK_API_VERSION_1_1)
    throw device_error(error_category::unsupported, "",
                       "using a program's VkInstance: it was made for Vulkan " + version_text(m_version) +
                           " (VkApplicationInfo::apiVersion), 1.1 or later is needed");
  load_functions(get != nullptr ? get : entry_point());
}

void instance::load_functions(PFN_vkGetInstanceProcAddr get) {
  const auto load = [&](const char* name) { return get(m_handle, name); };
#define X(name) m_functions.name = resolve<PFN_vk##name>("vk" #name, load);
  PRISM_VULKAN_INSTANCE_FUNCTIONS(X)
#undef X
  m_functions.GetPhysicalDeviceCooperativeMatrixPropertiesKHR =
      resolve<khr::get_cooperative_matrix_properties>("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
                                                      load);
}

instance::~instance() {
  if (m_handle && !m_is_adopted) m_functions.DestroyInstance(m_handle, nullptr);
}

device_functions instance::load(VkDevice device) const {
  device_functions functions;
  const auto load = [&](const char* name) { return m_functions.GetDeviceProcAddr(device, name); };
#define X(name) functions.name = resolve<PFN_vk##name>("vk" #name, load);
  PRISM_VULKAN_DEVICE_FUNCTIONS(X)
#undef X
  return functions;
}

} // namespace prism::devices::vulkan
