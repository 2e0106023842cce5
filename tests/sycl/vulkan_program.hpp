// A program that calls Vulkan itself, for tests: its own instance, device, queue, buffers and images.
#pragma once

#include "bench/vulkan_device.hpp"
#include "tests/sycl/common.hpp"

#include <sycl/backend/ext_prism_vulkan.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace prism_test {

inline void check(VkResult result) {
  if (result != VK_SUCCESS) throw std::runtime_error("the program got VkResult " + std::to_string(result));
}

class vulkan_program {
public:
  /// all: what PRISM asks for. core: as much in the structure of Vulkan 1.2, and no extensions.
  enum class enabling { all, core, timelines, nothing };

  struct own_buffer {
    vulkan_program& of;
    std::size_t bytes;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* mapped = nullptr;

    ~own_buffer() {
      vkDestroyBuffer(of.device, buffer, nullptr);
      vkFreeMemory(of.device, memory, nullptr);
    }
    prism::vulkan::buffer_range range() const { return range(0, bytes); }
    prism::vulkan::buffer_range range(std::uint64_t offset, std::uint64_t size) const {
      return {buffer, offset, size, usage};
    }
  };

  struct own_image {
    vulkan_program& of;
    VkImageCreateInfo created;
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;

    ~own_image() {
      vkDestroyImage(of.device, image, nullptr);
      vkFreeMemory(of.device, memory, nullptr);
    }
  };

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;

  explicit vulkan_program(const std::string& name) {
    const bench::vulkan_device named = bench::find_vulkan_device(name);
    instance = named.instance;
    physical = named.physical;
    if (!instance) throw std::runtime_error("the program's vkCreateInstance failed");
  }
  ~vulkan_program() {
    close();
    vkDestroyInstance(instance, nullptr);
  }
  vulkan_program(const vulkan_program&) = delete;

  bool found() const { return physical != VK_NULL_HANDLE; }

  void open(enabling what) {
    m_needs = prism::vulkan::requirements_of(instance, version, physical);
    m_names.clear();
    const auto* first = reinterpret_cast<const VkBaseInStructure*>(m_needs.features);
    if (what == enabling::all) {
      for (const std::string& each : m_needs.extensions) m_names.push_back(each.c_str());
    } else if (what == enabling::core) {
      first = core_features();
    } else {
      m_timelines.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
      m_timelines.timelineSemaphore = VK_TRUE;
      first =
          what == enabling::timelines ? reinterpret_cast<const VkBaseInStructure*>(&m_timelines) : nullptr;
    }
    m_has_addresses = what == enabling::core && m_core.bufferDeviceAddress;
    for (const auto* each = first; each != nullptr; each = each->pNext)
      if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES)
        m_has_addresses =
            reinterpret_cast<const VkPhysicalDeviceBufferDeviceAddressFeatures*>(each)->bufferDeviceAddress;
    VkDeviceCreateInfo& info = m_created.emplace(m_needs.queue_family, first).info;
    info.pEnabledFeatures = what == enabling::core ? &m_oldest : nullptr;
    info.enabledExtensionCount = std::uint32_t(m_names.size());
    info.ppEnabledExtensionNames = m_names.data();
    check(vkCreateDevice(physical, &info, nullptr, &device));
    vkGetDeviceQueue(device, m_needs.queue_family, 0, &queue);
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = m_needs.queue_family;
    check(vkCreateCommandPool(device, &pool, nullptr, &m_pool));
  }
  void close() {
    if (device == VK_NULL_HANDLE) return;
    for (const VkSemaphore each : m_semaphores) vkDestroySemaphore(device, each, nullptr);
    m_semaphores.clear();
    vkDestroyCommandPool(device, m_pool, nullptr);
    vkDestroyDevice(device, nullptr);
    device = VK_NULL_HANDLE;
  }
  bool has_addresses() const { return m_has_addresses; }

  prism::vulkan::device_handles handles() const {
    prism::vulkan::device_handles out;
    out.instance = instance;
    out.api_version = version;
    out.physical_device = physical;
    out.device = device;
    out.created = &m_created->info;
    out.queue_family = m_needs.queue_family;
    return out;
  }

  /// In memory that the host sees.
  std::unique_ptr<own_buffer> make_buffer(std::size_t bytes) {
    auto made = std::unique_ptr<own_buffer>(new own_buffer{*this, bytes});
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = usage;
    check(vkCreateBuffer(device, &info, nullptr, &made->buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made->buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    constexpr VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    std::uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & seen) != seen)
      ++type;
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.pNext = &flags;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = type;
    check(vkAllocateMemory(device, &allocation, nullptr, &made->memory));
    check(vkBindBufferMemory(device, made->buffer, made->memory, 0));
    check(vkMapMemory(device, made->memory, 0, VK_WHOLE_SIZE, 0, &made->mapped));
    return made;
  }

  /// In memory of the device's choice.
  std::unique_ptr<own_image> make_image(const VkImageCreateInfo& info) {
    auto made = std::unique_ptr<own_image>(new own_image{*this, info});
    check(vkCreateImage(device, &info, nullptr, &made->image));
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device, made->image, &needs);
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1)) ++allocation.memoryTypeIndex;
    check(vkAllocateMemory(device, &allocation, nullptr, &made->memory));
    check(vkBindImageMemory(device, made->image, made->memory, 0));
    return made;
  }

  /// Submits what `record` puts into the VkCommandBuffer; it begins when the timeline (null: none) has
  /// reached the value. The caller holds the queue's lock.
  template <typename Record>
  void submit(Record record, VkSemaphore after = VK_NULL_HANDLE, std::uint64_t value = 0) {
    VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocation.commandPool = m_pool;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocation.commandBufferCount = 1;
    VkCommandBuffer commands;
    check(vkAllocateCommandBuffers(device, &allocation, &commands));
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin));
    record(commands);
    check(vkEndCommandBuffer(commands));
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.waitSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &value;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.pNext = after ? &values : nullptr;
    info.waitSemaphoreCount = after ? 1 : 0;
    info.pWaitSemaphores = &after;
    info.pWaitDstStageMask = &stage;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
  }
  /// At the end of commands that write to a buffer, which the program reads next.
  static void show_to_host(VkCommandBuffer commands) {
    VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    to_host.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    to_host.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host,
                         0, nullptr, 0, nullptr);
  }
  /// Copies when the timeline has reached the value. The caller holds the queue's lock.
  void copy(const own_buffer& from, const own_buffer& to, std::size_t bytes, VkSemaphore after,
            std::uint64_t value) {
    submit([&](VkCommandBuffer commands) {
      const VkBufferCopy region{0, 0, bytes};
      vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
      show_to_host(commands);
    }, after, value);
  }
  /// Submits no commands, only a wait and a signal of binary semaphores; null: none. The caller holds the
  /// queue's lock.
  void submit_binary(VkSemaphore waited, VkSemaphore signalled) {
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.waitSemaphoreCount = waited ? 1 : 0;
    info.pWaitSemaphores = &waited;
    info.pWaitDstStageMask = &stage;
    info.signalSemaphoreCount = signalled ? 1 : 0;
    info.pSignalSemaphores = &signalled;
    check(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
  }
  void submit_nothing() { check(vkQueueSubmit(queue, 0, nullptr, VK_NULL_HANDLE)); }
  /// No other thread uses the queue.
  void wait_idle() { check(vkQueueWaitIdle(queue)); }

  VkSemaphore make_timeline() { return make_semaphore(VK_SEMAPHORE_TYPE_TIMELINE); }
  VkSemaphore make_semaphore(VkSemaphoreType kind) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = kind;
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    info.pNext = &type;
    VkSemaphore made;
    check(vkCreateSemaphore(device, &info, nullptr, &made));
    m_semaphores.push_back(made);
    return made;
  }
  std::uint64_t value_of(VkSemaphore timeline) {
    std::uint64_t value = 0;
    check(vkGetSemaphoreCounterValue(device, timeline, &value));
    return value;
  }
  void signal(VkSemaphore timeline, std::uint64_t value) {
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = timeline;
    info.value = value;
    check(vkSignalSemaphore(device, &info));
  }
  void wait(VkSemaphore timeline, std::uint64_t value) {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline;
    info.pValues = &value;
    check(vkWaitSemaphores(device, &info, ~0ull));
  }

private:
  static constexpr std::uint32_t version = bench::vulkan_version;
  static constexpr VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
      VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

  /// All features of Vulkan 1.2 and the numbers of 64 bits that the device has.
  const VkBaseInStructure* core_features() {
    m_core = {};
    m_core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    VkPhysicalDeviceFeatures2 has{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    has.pNext = &m_core;
    vkGetPhysicalDeviceFeatures2(physical, &has);
    m_oldest = {};
    m_oldest.shaderInt64 = has.features.shaderInt64;
    m_oldest.shaderFloat64 = has.features.shaderFloat64;
    return reinterpret_cast<const VkBaseInStructure*>(&m_core);
  }

  prism::vulkan::requirements m_needs;
  std::vector<const char*> m_names;
  VkPhysicalDeviceTimelineSemaphoreFeatures m_timelines{};
  VkPhysicalDeviceVulkan12Features m_core{};
  VkPhysicalDeviceFeatures m_oldest{};
  std::optional<bench::vulkan_device_request> m_created;
  bool m_has_addresses = false;
  VkCommandPool m_pool = VK_NULL_HANDLE;
  std::vector<VkSemaphore> m_semaphores;
};

/// A program with a VkDevice that enables what PRISM asks for; skipped on devices of other backends.
struct vulkan_program_test : testing::Test {
  static constexpr auto vk = sycl::backend::ext_prism_vulkan;
  std::unique_ptr<vulkan_program> program;
  void SetUp() override {
    const sycl::device chosen;
    if (chosen.get_backend() != vk) GTEST_SKIP() << name_of(chosen) << " is no Vulkan device";
    program = std::make_unique<vulkan_program>(chosen.get_info<sycl::info::device::name>());
    if (!program->found()) GTEST_SKIP() << "the program does not find " << name_of(chosen);
    program->open(vulkan_program::enabling::all);
  }
  sycl::device adopted() { return sycl::make_device<vk>(program->handles()); }
  /// Buffers in the program's memory need addresses.
  bool has_addresses() { return program->has_addresses(); }
};

inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const sycl::exception& e) {
    return e.what();
  }
  return "";
}

} // namespace prism_test
