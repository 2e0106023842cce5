#include "devices/vulkan/convert.hpp"

namespace prism::devices::vulkan {

std::string result_name(VkResult result) {
  switch (result) {
#define X(name)                                                                                              \
  case name: return #name;
    // clang-format off: a table
    X(VK_SUCCESS) X(VK_NOT_READY) X(VK_TIMEOUT) X(VK_INCOMPLETE) X(VK_ERROR_OUT_OF_HOST_MEMORY)
    X(VK_ERROR_OUT_OF_DEVICE_MEMORY) X(VK_ERROR_INITIALIZATION_FAILED) X(VK_ERROR_DEVICE_LOST)
    X(VK_ERROR_MEMORY_MAP_FAILED) X(VK_ERROR_LAYER_NOT_PRESENT) X(VK_ERROR_EXTENSION_NOT_PRESENT)
    X(VK_ERROR_FEATURE_NOT_PRESENT) X(VK_ERROR_INCOMPATIBLE_DRIVER) X(VK_ERROR_TOO_MANY_OBJECTS)
    X(VK_ERROR_FRAGMENTED_POOL) X(VK_ERROR_UNKNOWN) X(VK_ERROR_OUT_OF_POOL_MEMORY)
    X(VK_ERROR_INVALID_EXTERNAL_HANDLE) X(VK_ERROR_FRAGMENTATION) X(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    X(VK_ERROR_INVALID_SHADER_NV) X(VK_PIPELINE_COMPILE_REQUIRED)
// clang-format on
#undef X
                                        default : return "VkResult " +
                                                  std::to_string(static_cast<int>(result));
  }
}

error_category category_of(VkResult result) noexcept {
  switch (result) {
    case VK_ERROR_DEVICE_LOST: return error_category::lost;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_TOO_MANY_OBJECTS: return error_category::out_of_memory;
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER: return error_category::unsupported;
    case VK_ERROR_INVALID_SHADER_NV: return error_category::build;
    case VK_ERROR_INVALID_EXTERNAL_HANDLE:
    case VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS: return error_category::invalid;
    case VK_TIMEOUT: return error_category::timeout;
    default: return error_category::other;
  }
}

device_type type_of(VkPhysicalDeviceType type) noexcept {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return device_type::cpu;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return device_type::gpu;
    default: return device_type::custom;
  }
}

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) +
         "." + std::to_string(VK_API_VERSION_PATCH(version));
}

std::string vendor_name(std::uint32_t vendor_id) {
  switch (vendor_id) {
    case 0x1002: return "AMD";
    case 0x1010: return "Imagination Technologies";
    case 0x106b: return "Apple";
    case 0x10de: return "NVIDIA";
    case 0x13b5: return "Arm";
    case 0x1ae0: return "Google";
    case 0x5143: return "Qualcomm";
    case 0x8086: return "Intel";
    case VK_VENDOR_ID_MESA: return "Mesa";
    default: return "vendor " + std::to_string(vendor_id);
  }
}

void fail(VkResult result, const std::string& asked) {
  std::string found = "the driver reports an error";
  switch (category_of(result)) {
    case error_category::lost:
      found = "the device is lost; its queues and memory can no longer be used";
      break;
    case error_category::out_of_memory: found = "out of memory"; break;
    case error_category::unsupported: found = "the driver does not support this"; break;
    default: break;
  }
  throw device_error(category_of(result), result_name(result), asked + ": " + found);
}

void check(VkResult result, const std::string& asked) {
  if (result < 0) fail(result, asked);
}

} // namespace prism::devices::vulkan
