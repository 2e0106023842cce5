#include "vulkan_runner.hpp"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

#define VK_NO_PROTOTYPES
#include <spirv-tools/libspirv.h>
#include <vulkan/vulkan.h>

#include "devices/api/image.hpp"
#include "devices/api/spirv_data.hpp"

namespace prism::test {

namespace {

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with " + std::to_string(result));
}

class runner final : public vulkan_runner {
public:
  runner() {
    void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error("libvulkan.so.1 is not installed");
    m_get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    make_instance();
    make_device();
  }

  memory allocate(std::uint64_t bytes) override {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer;
    check(call<PFN_vkCreateBuffer>("vkCreateBuffer")(m_device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    call<PFN_vkGetBufferMemoryRequirements>("vkGetBufferMemoryRequirements")(m_device, buffer, &needs);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size,
                                    memory_type(needs)};
    VkDeviceMemory block;
    check(call<PFN_vkAllocateMemory>("vkAllocateMemory")(m_device, &allocation, nullptr, &block),
          "vkAllocateMemory");
    check(call<PFN_vkBindBufferMemory>("vkBindBufferMemory")(m_device, buffer, block, 0),
          "vkBindBufferMemory");
    memory result;
    check(call<PFN_vkMapMemory>("vkMapMemory")(m_device, block, 0, VK_WHOLE_SIZE, 0, &result.host),
          "vkMapMemory");
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    result.address = call<PFN_vkGetBufferDeviceAddress>("vkGetBufferDeviceAddress")(m_device, &address);
    std::memset(result.host, 0, bytes);
    return result;
  }

  std::uint32_t sub_group_size() override {
    VkPhysicalDeviceSubgroupProperties found{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &found, {}};
    call<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(m_physical, &properties);
    constexpr VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    const bool there = (found.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
                       (found.supportedOperations & needed) == needed;
    return there ? found.subgroupSize : 0;
  }

  std::string run(const std::vector<std::uint32_t>& words, const std::string& entry,
                  const launch_shape& shape, const std::vector<std::uint64_t>& captured) override {
    try {
      if (m_arguments.host == nullptr) m_arguments = allocate(1 << 16);
      std::memcpy(m_arguments.host, captured.data(), captured.size() * 8);
      dispatch(words, entry, shape);
      return {};
    } catch (const std::exception& error) {
      return error.what();
    }
  }

private:
  template <typename F>
  F call(const char* name) {
    auto function = reinterpret_cast<F>(m_get(m_instance, name));
    if (function == nullptr) throw std::runtime_error(std::string("the Vulkan loader has no ") + name);
    return function;
  }

  void make_instance() {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    check(call<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &m_instance), "vkCreateInstance");
  }

  void make_device() {
    std::uint32_t count = 1;
    const VkResult found =
        call<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(m_instance, &count, &m_physical);
    if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || count == 0)
      throw std::runtime_error("no Vulkan device");
    VkPhysicalDeviceProperties properties;
    call<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(m_physical, &properties);
    m_fills_vectors_by_rows = std::strstr(properties.deviceName, "llvmpipe") != nullptr;
    VkPhysicalDeviceVulkan12Features second{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &second};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &first};
    call<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(m_physical, &features);
    if (!second.bufferDeviceAddress || !second.vulkanMemoryModel || !features.features.shaderInt64)
      throw std::runtime_error(
          "the first Vulkan device lacks addresses, the memory model or 64-bit integers");
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    check(call<PFN_vkCreateDevice>("vkCreateDevice")(m_physical, &info, nullptr, &m_device),
          "vkCreateDevice");
    call<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(m_device, 0, 0, &m_queue);
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    check(call<PFN_vkCreateCommandPool>("vkCreateCommandPool")(m_device, &pool, nullptr, &m_pool),
          "vkCreateCommandPool");
    VkCommandBufferAllocateInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffer.commandPool = m_pool;
    buffer.commandBufferCount = 1;
    check(call<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(m_device, &buffer, &m_commands),
          "vkAllocateCommandBuffers");
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(image::push_constants)};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(call<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(m_device, &layout, nullptr, &m_layout),
          "vkCreatePipelineLayout");
  }

  std::uint32_t memory_type(const VkMemoryRequirements& needs) {
    VkPhysicalDeviceMemoryProperties properties;
    call<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(m_physical,
                                                                                         &properties);
    constexpr VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i)
      if ((needs.memoryTypeBits >> i & 1) != 0 &&
          (properties.memoryTypes[i].propertyFlags & wanted) == wanted)
        return i;
    throw std::runtime_error("no host-visible memory");
  }

  /// The address of a copy of the module's constant data in device memory; 0 if it has none.
  std::uint64_t address_of_data(const std::vector<std::uint32_t>& words) {
    constexpr std::uint32_t op_string = 7;
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
      if ((words[at] & 0xffff) == op_string)
        image::spirv_data::add_bytes(reinterpret_cast<const char*>(&words[at + 2]), bytes);
    if (bytes.empty()) return 0;
    const memory data = allocate(bytes.size());
    std::memcpy(data.host, bytes.data(), bytes.size());
    return data.address;
  }

  void dispatch(const std::vector<std::uint32_t>& words, const std::string& entry,
                const launch_shape& shape) {
    VkShaderModuleCreateInfo shader{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                    words.data()};
    VkShaderModule module;
    check(call<PFN_vkCreateShaderModule>("vkCreateShaderModule")(m_device, &shader, nullptr, &module),
          "vkCreateShaderModule");
    const std::uint32_t values[] = {shape.local[0],
                                    shape.local[1],
                                    shape.local[2],
                                    shape.local_elements,
                                    VK_FALSE,
                                    VK_FALSE,
                                    m_fills_vectors_by_rows,
                                    shape.local[0] * shape.local[1] * shape.local[2]};
    std::array<VkSpecializationMapEntry, std::size(values)> entries;
    for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
    entries.back().constantID = image::flat_size_spec_id;
    VkSpecializationInfo specialisation{entries.size(), entries.data(), sizeof values, values};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  entry.c_str(),
                  &specialisation};
    info.layout = m_layout;
    VkPipeline pipeline;
    check(call<PFN_vkCreateComputePipelines>("vkCreateComputePipelines")(m_device, VK_NULL_HANDLE, 1, &info,
                                                                         nullptr, &pipeline),
          "vkCreateComputePipelines");
    image::push_constants constants{};
    constants.arguments = m_arguments.address;
    if (m_order.host == nullptr) m_order = allocate(64);
    constants.order = m_order.address;
    constants.constants = address_of_data(words);
    for (int i = 0; i < 3; ++i) constants.group_count[i] = shape.groups[i];
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(call<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(m_commands, &begin), "vkBeginCommandBuffer");
    call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline")(m_commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    call<PFN_vkCmdPushConstants>("vkCmdPushConstants")(m_commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                                       sizeof constants, &constants);
    call<PFN_vkCmdDispatch>("vkCmdDispatch")(m_commands, shape.groups[0], shape.groups[1], shape.groups[2]);
    check(call<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(m_commands), "vkEndCommandBuffer");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &m_commands;
    check(call<PFN_vkQueueSubmit>("vkQueueSubmit")(m_queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(call<PFN_vkQueueWaitIdle>("vkQueueWaitIdle")(m_queue), "vkQueueWaitIdle");
    call<PFN_vkDestroyPipeline>("vkDestroyPipeline")(m_device, pipeline, nullptr);
    call<PFN_vkDestroyShaderModule>("vkDestroyShaderModule")(m_device, module, nullptr);
  }

  PFN_vkGetInstanceProcAddr m_get = nullptr;
  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkBool32 m_fills_vectors_by_rows = VK_FALSE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkCommandBuffer m_commands = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  memory m_arguments, m_order;
};

} // namespace

std::unique_ptr<vulkan_runner> vulkan_runner::open(std::string& why) {
  try {
    return std::make_unique<runner>();
  } catch (const std::exception& error) {
    why = error.what();
    return nullptr;
  }
}

std::string validate(const std::vector<std::uint32_t>& words) {
  const spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  spv_const_binary_t module{words.data(), words.size()};
  spv_diagnostic problem = nullptr;
  std::string said;
  if (spvValidate(context, &module, &problem) != SPV_SUCCESS)
    said = problem != nullptr ? problem->error : "the module is invalid";
  spvDiagnosticDestroy(problem);
  spvContextDestroy(context);
  return said;
}

} // namespace prism::test
