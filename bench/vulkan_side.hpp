// A plain Vulkan device with one compute queue: memory, pipelines and command buffers. For the baselines in
// hand-written GLSL.
#pragma once

#include "bench/vulkan_device.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline void check(VkResult status, const char* call) {
  if (status != VK_SUCCESS) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

/// Instance, device and queue; destroys at its end everything that it made.
class vulkan_side {
public:
  struct memory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;
    float* data = nullptr; // mapped
  };
  struct pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkDescriptorSet storage = VK_NULL_HANDLE; // its storage buffers, if it has any
  };
  struct pushed { // push constants as in shaders/glsl/convention.glsl
    VkDeviceAddress arguments;
    std::uint32_t group_count[3], group_base[3];
  };

  explicit vulkan_side(const std::string& device_name) {
    const vulkan_device found = find_vulkan_device(device_name);
    m_instance = found.instance;
    m_physical = found.physical;
    if (m_physical) make_device();
  }
  vulkan_side(const vulkan_side&) = delete;
  ~vulkan_side() {
    if (m_device) {
      vkDeviceWaitIdle(m_device);
      for (VkPipeline each : m_pipelines) vkDestroyPipeline(m_device, each, nullptr);
      for (VkPipelineLayout each : m_layouts) vkDestroyPipelineLayout(m_device, each, nullptr);
      for (VkDescriptorPool each : m_storage_pools) vkDestroyDescriptorPool(m_device, each, nullptr);
      for (VkDescriptorSetLayout each : m_storage_layouts)
        vkDestroyDescriptorSetLayout(m_device, each, nullptr);
      for (VkShaderModule each : m_modules) vkDestroyShaderModule(m_device, each, nullptr);
      for (VkFence each : m_fences) vkDestroyFence(m_device, each, nullptr);
      if (m_pool) vkDestroyCommandPool(m_device, m_pool, nullptr);
      for (VkBuffer each : m_buffers) vkDestroyBuffer(m_device, each, nullptr);
      for (VkDeviceMemory each : m_memories) vkFreeMemory(m_device, each, nullptr);
      vkDestroyDevice(m_device, nullptr);
    }
    if (m_instance) vkDestroyInstance(m_instance, nullptr);
  }
  bool found() const { return m_device; }
  VkDevice device() const { return m_device; }
  VkQueue queue() const { return m_queue; }

  /// Host-visible memory, zeroed or with a copy of `data`.
  memory make_memory(std::size_t bytes, const void* data) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer;
    check(vkCreateBuffer(m_device, &info, nullptr, &buffer), "vkCreateBuffer");
    m_buffers.push_back(buffer);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(m_device, buffer, &needs);
    VkMemoryAllocateFlagsInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.pNext = &flags;
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = memory_type(needs.memoryTypeBits);
    VkDeviceMemory memory_handle;
    check(vkAllocateMemory(m_device, &allocate, nullptr, &memory_handle), "vkAllocateMemory");
    m_memories.push_back(memory_handle);
    check(vkBindBufferMemory(m_device, buffer, memory_handle, 0), "vkBindBufferMemory");
    memory made;
    made.buffer = buffer;
    check(vkMapMemory(m_device, memory_handle, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void**>(&made.data)),
          "vkMapMemory");
    if (data) std::memcpy(made.data, data, bytes);
    else std::memset(made.data, 0, bytes);
    VkBufferDeviceAddressInfo where{};
    where.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    where.buffer = buffer;
    made.address = vkGetBufferDeviceAddress(m_device, &where);
    return made;
  }
  memory make_memory(const std::vector<float>& data) {
    return make_memory(data.size() * sizeof(float), data.data());
  }

  /// `storage`: the storage buffers of set 0, in the order of their bindings.
  pipeline make_pipeline(const std::string& file_name, std::uint32_t local_x, std::uint32_t local_y,
                         const std::vector<memory>& storage = {}) {
    std::ifstream file(file_name, std::ios::binary);
    const std::vector<char> words{std::istreambuf_iterator<char>(file), {}};
    if (words.empty()) throw std::runtime_error("cannot read " + file_name);
    VkShaderModuleCreateInfo module_info{};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = words.size();
    module_info.pCode = reinterpret_cast<const std::uint32_t*>(words.data());
    VkShaderModule module;
    check(vkCreateShaderModule(m_device, &module_info, nullptr, &module), "vkCreateShaderModule");
    m_modules.push_back(module);

    pipeline made;
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(pushed)};
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    if (!storage.empty()) {
      made.storage = make_storage(storage);
      layout.setLayoutCount = 1;
      layout.pSetLayouts = &m_storage_layouts.back();
    }
    check(vkCreatePipelineLayout(m_device, &layout, nullptr, &made.layout), "vkCreatePipelineLayout");
    m_layouts.push_back(made.layout);

    const std::uint32_t local[3] = {local_x, local_y, 1};
    const VkSpecializationMapEntry entries[3] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    const VkSpecializationInfo constants{3, entries, sizeof(local), local};
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  &constants};
    info.layout = made.layout;
    check(vkCreateComputePipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &made.handle),
          "vkCreateComputePipelines");
    m_pipelines.push_back(made.handle);
    return made;
  }

  VkCommandBuffer make_commands() {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = m_pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    VkCommandBuffer made;
    check(vkAllocateCommandBuffers(m_device, &info, &made), "vkAllocateCommandBuffers");
    return made;
  }
  VkFence make_fence() {
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    VkFence made;
    check(vkCreateFence(m_device, &info, nullptr, &made), "vkCreateFence");
    m_fences.push_back(made);
    return made;
  }

  void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags usage) const {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = usage;
    check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  }
  /// Records `times` dispatches, each after the one before.
  void dispatch(VkCommandBuffer commands, const pipeline& what, VkDeviceAddress arguments, std::uint32_t x,
                std::uint32_t y, std::size_t times = 1) const {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, what.handle);
    if (what.storage)
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, what.layout, 0, 1, &what.storage, 0,
                              nullptr);
    const pushed constants{arguments, {x, y, 1}, {0, 0, 0}};
    for (std::size_t i = 0; i < times; ++i) {
      vkCmdPushConstants(commands, what.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(constants),
                         &constants);
      vkCmdDispatch(commands, x, y, 1);
      VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                              VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                  VK_ACCESS_HOST_READ_BIT};
      vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                           0, nullptr, 0, nullptr);
    }
  }
  /// Records a whole command buffer of `times` dispatches.
  void record(VkCommandBuffer commands, const pipeline& what, VkDeviceAddress arguments, std::uint32_t x,
              std::uint32_t y, VkCommandBufferUsageFlags usage, std::size_t times = 1) const {
    begin(commands, usage);
    dispatch(commands, what, arguments, x, y, times);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  }
  void submit(VkCommandBuffer commands, VkFence fence) const {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(m_queue, 1, &info, fence), "vkQueueSubmit");
  }

private:
  void make_device() {
    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(m_physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(m_physical, &count, families.data());
    std::uint32_t family = 0;
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT)) ++family;
    VkPhysicalDeviceVulkan12Features has_12{}, features{};
    has_12.sType = features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceVulkan11Features has_11{}, narrow{};
    has_11.sType = narrow.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    has_11.pNext = &has_12;
    VkPhysicalDeviceFeatures2 has{};
    has.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    has.pNext = &has_11;
    vkGetPhysicalDeviceFeatures2(m_physical, &has);
    features.bufferDeviceAddress = VK_TRUE;
    features.scalarBlockLayout = VK_TRUE;
    features.shaderFloat16 = has_12.shaderFloat16;
    features.shaderInt8 = has_12.shaderInt8;
    features.storageBuffer8BitAccess = has_12.storageBuffer8BitAccess;
    narrow.storageBuffer16BitAccess = has_11.storageBuffer16BitAccess;
    narrow.pNext = &features;
    VkPhysicalDeviceFeatures basic{};
    basic.shaderInt64 = VK_TRUE;
    basic.shaderFloat64 = has.features.shaderFloat64;
    m_device = make_vulkan_device(m_physical, family, &narrow, &basic);
    if (!m_device) throw std::runtime_error("vkCreateDevice failed");
    vkGetDeviceQueue(m_device, family, 0, &m_queue);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = family;
    check(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool");
  }
  VkDescriptorSet make_storage(const std::vector<memory>& buffers) {
    const auto count = std::uint32_t(buffers.size());
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < count; ++i)
      bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    layout.bindingCount = count;
    layout.pBindings = bindings.data();
    VkDescriptorSetLayout layout_handle;
    check(vkCreateDescriptorSetLayout(m_device, &layout, nullptr, &layout_handle),
          "vkCreateDescriptorSetLayout");
    m_storage_layouts.push_back(layout_handle);
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    VkDescriptorPool pool_handle;
    check(vkCreateDescriptorPool(m_device, &pool, nullptr, &pool_handle), "vkCreateDescriptorPool");
    m_storage_pools.push_back(pool_handle);
    VkDescriptorSetAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = pool_handle;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &layout_handle;
    VkDescriptorSet made;
    check(vkAllocateDescriptorSets(m_device, &allocate, &made), "vkAllocateDescriptorSets");
    for (std::uint32_t i = 0; i < count; ++i) {
      const VkDescriptorBufferInfo buffer{buffers[i].buffer, 0, VK_WHOLE_SIZE};
      VkWriteDescriptorSet write{};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = made;
      write.dstBinding = i;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &buffer;
      vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
    }
    return made;
  }
  std::uint32_t memory_type(std::uint32_t allowed) const {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(m_physical, &memory);
    constexpr auto wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const auto find = [&](VkMemoryPropertyFlags flags) {
      for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
        if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & flags) == flags) return int(i);
      return -1;
    };
    int found = find(wanted | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (found < 0) found = find(wanted);
    if (found < 0) throw std::runtime_error("the Vulkan device has no host-visible memory");
    return std::uint32_t(found);
  }

  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  std::vector<VkBuffer> m_buffers;
  std::vector<VkDeviceMemory> m_memories;
  std::vector<VkShaderModule> m_modules;
  std::vector<VkPipelineLayout> m_layouts;
  std::vector<VkDescriptorSetLayout> m_storage_layouts;
  std::vector<VkDescriptorPool> m_storage_pools;
  std::vector<VkPipeline> m_pipelines;
  std::vector<VkFence> m_fences;
};

} // namespace bench
