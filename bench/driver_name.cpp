#include "bench/opencl_side.hpp"
#include "bench/rows.hpp"

#include <sycl/backend/ext_prism_vulkan.hpp>
#include <sycl/backend/opencl.hpp>

namespace bench {

std::string driver_name(const sycl::device& device) {
  switch (device.get_backend()) {
    case sycl::backend::opencl: {
      char text[512] = {};
      check(clGetDeviceInfo(sycl::get_native<sycl::backend::opencl>(device), CL_DEVICE_NAME, sizeof(text) - 1,
                            text, nullptr),
            "clGetDeviceInfo");
      return text;
    }
    case sycl::backend::ext_prism_vulkan: {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(sycl::get_native<sycl::backend::ext_prism_vulkan>(device), &properties);
      return properties.deviceName;
    }
    default: return device.get_info<sycl::info::device::name>();
  }
}

} // namespace bench
