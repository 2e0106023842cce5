#include "bench/raw_vulkan.hpp"

#include "bench/vulkan_device.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

void check(VkResult status, const char* call) {
  if (status != VK_SUCCESS) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

/// Instance, device and queue; destroys at its end everything that it made.
class vulkan_side {
public:
  struct memory {
    VkDeviceAddress address = 0;
    float* data = nullptr; // mapped
  };
  struct pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
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

  pipeline make_pipeline(const std::string& file_name, std::uint32_t local_x, std::uint32_t local_y) {
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
    VkPhysicalDeviceVulkan12Features features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features.bufferDeviceAddress = VK_TRUE;
    features.scalarBlockLayout = VK_TRUE;
    VkPhysicalDeviceFeatures basic{};
    basic.shaderInt64 = VK_TRUE;
    m_device = make_vulkan_device(m_physical, family, &features, &basic);
    if (!m_device) throw std::runtime_error("vkCreateDevice failed");
    vkGetDeviceQueue(m_device, family, 0, &m_queue);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = family;
    check(vkCreateCommandPool(m_device, &pool, nullptr, &m_pool), "vkCreateCommandPool");
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
  std::vector<VkPipeline> m_pipelines;
  std::vector<VkFence> m_fences;
};

// The blocks called `arguments` in the shaders.
struct axpy_arguments {
  VkDeviceAddress x, y;
  float a;
  std::uint32_t n;
};
struct gemm_arguments {
  VkDeviceAddress a, b, c;
  std::uint32_t n;
};
struct triad_arguments {
  VkDeviceAddress x, y, z;
  float a;
  std::uint32_t n;
};
struct pair_arguments {
  VkDeviceAddress in, out;
  std::uint32_t n;
};
struct scan_arguments {
  VkDeviceAddress x, sums, out;
  std::uint32_t chunk;
};
struct fft_arguments {
  VkDeviceAddress in, turns, out;
};

class vulkan_set final : public kernel_set {
public:
  vulkan_set(const workload& work, std::unique_ptr<vulkan_side> side, const std::string& shaders)
      : m_side(std::move(side)), m_shaders(shaders), m_fence(m_side->make_fence()) {
    const auto put = [&](const std::vector<float>& data) { return m_side->make_memory(data).address; };
    for (kernel_id kernel : all_kernels)
      m_out[std::size_t(kernel)] =
          kernel == kernel_id::axpy
              ? m_side->make_memory(work.y)
              : m_side->make_memory(workload::output_size(kernel) * sizeof(float), nullptr);
    m_x = put(work.x);
    m_x2 = put(work.x2);
    m_turns = put(work.turns);
    m_left = put(work.left);
    m_right = put(work.right);
    m_bodies = put(work.bodies);
    m_sums = m_side->make_memory(workload::reduce_groups * sizeof(float), nullptr).address;
  }

  void run(kernel_id kernel) override {
    if (!m_commands[std::size_t(kernel)]) record(kernel); // builds the pipelines at first use, as PRISM does
    m_side->submit(m_commands[std::size_t(kernel)], m_fence);
    check(vkWaitForFences(m_side->device(), 1, &m_fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    check(vkResetFences(m_side->device(), 1, &m_fence), "vkResetFences");
  }
  std::vector<float> result(kernel_id kernel) override {
    const float* const from = m_out[std::size_t(kernel)].data;
    return result_of(kernel, std::vector<float>{from, from + workload::output_size(kernel)});
  }

private:
  void record(kernel_id kernel) {
    constexpr std::uint32_t group = workload::group, tile = workload::tile,
                            tiles = workload::matrix_size / tile, size = workload::vector_size;
    constexpr std::uint32_t lanes = workload::reduce_groups, side_length = workload::field_side;
    VkCommandBuffer& commands = m_commands[std::size_t(kernel)];
    commands = m_side->make_commands();
    m_side->begin(commands, 0);
    const VkDeviceAddress out = m_out[std::size_t(kernel)].address;
    switch (kernel) {
      case kernel_id::axpy:
        add(kernel, "axpy", axpy_arguments{m_x, out, workload::a, size}, {group, 1}, {size / group, 1});
        break;
      case kernel_id::fft:
        add(kernel, "fft", fft_arguments{m_x, m_turns, out}, {workload::fft_group, 1},
            {workload::fft_count, 1});
        break;
      case kernel_id::gemm:
        add(kernel, "gemm", gemm_arguments{m_left, m_right, out, workload::matrix_size}, {tile, tile},
            {tiles, tiles});
        break;
      case kernel_id::histogram:
        add(kernel, "histogram", pair_arguments{m_x, out, size}, {group, 1}, {lanes, 1});
        break;
      case kernel_id::nbody:
        add(kernel, "nbody", pair_arguments{m_bodies, out, workload::body_count}, {group, 1},
            {workload::body_count / group, 1});
        break;
      case kernel_id::reduce:
        add(kernel, "reduce", pair_arguments{m_x, out, size}, {group, 1}, {lanes, 1});
        break;
      case kernel_id::scan:
        add(kernel, "scan_sums", pair_arguments{m_x, m_sums, workload::chunk}, {group, 1}, {lanes, 1});
        add(kernel, "scan", scan_arguments{m_x, m_sums, out, workload::chunk}, {group, 1}, {lanes, 1});
        break;
      case kernel_id::stencil:
        add(kernel, "stencil", pair_arguments{m_x, out, side_length}, {group, 1},
            {side_length / group, side_length});
        break;
      case kernel_id::triad:
        add(kernel, "triad", triad_arguments{m_x, m_x2, out, workload::a, size}, {group, 1},
            {size / group, 1});
        break;
    }
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  }
  /// Appends a launch to the kernel's command buffer.
  template <typename Arguments>
  void add(kernel_id kernel, const std::string& shader, const Arguments& arguments,
           std::array<std::uint32_t, 2> local, std::array<std::uint32_t, 2> groups) {
    const auto block = m_side->make_memory(sizeof(Arguments), &arguments);
    const auto pipeline = m_side->make_pipeline(m_shaders + "/" + shader + ".spv", local[0], local[1]);
    m_side->dispatch(m_commands[std::size_t(kernel)], pipeline, block.address, groups[0], groups[1]);
  }

  std::unique_ptr<vulkan_side> m_side;
  std::string m_shaders;
  VkFence m_fence;
  VkDeviceAddress m_x{}, m_x2{}, m_turns{}, m_left{}, m_right{}, m_bodies{}, m_sums{};
  std::array<vulkan_side::memory, all_kernels.size()> m_out{};
  std::array<VkCommandBuffer, all_kernels.size()> m_commands{};
};

class raw_submitter final : public submitter {
public:
  raw_submitter(std::unique_ptr<vulkan_side> side, const std::string& shaders, std::size_t items)
      : m_side(std::move(side)), m_x(m_side->make_memory(items * sizeof(float), nullptr)),
        m_y(m_side->make_memory(items * sizeof(float), nullptr)), m_groups(std::uint32_t((items + 63) / 64)),
        m_pipeline(m_side->make_pipeline(shaders + "/axpy.spv", 64, 1)) {
    const axpy_arguments arguments{m_x.address, m_y.address, workload::a, std::uint32_t(items)};
    m_block = m_side->make_memory(sizeof(arguments), &arguments);
  }
  void submit(std::size_t count) override {
    // Reuses command buffers after finish() has waited, as a handwritten engine would.
    while (m_commands.size() < m_used + count) m_commands.push_back(m_side->make_commands());
    for (std::size_t i = 0; i < count; ++i) {
      VkCommandBuffer commands = m_commands[m_used++];
      m_side->record(commands, m_pipeline, m_block.address, m_groups, 1,
                     VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
      m_side->submit(commands, VK_NULL_HANDLE);
    }
  }
  void finish() override {
    check(vkQueueWaitIdle(m_side->queue()), "vkQueueWaitIdle");
    m_used = 0;
  }

private:
  std::unique_ptr<vulkan_side> m_side;
  vulkan_side::memory m_x, m_y, m_block;
  std::uint32_t m_groups;
  vulkan_side::pipeline m_pipeline;
  std::vector<VkCommandBuffer> m_commands;
  std::size_t m_used = 0;
};

/// One command buffer of many launches, recorded once.
class raw_replayer final : public submitter {
public:
  raw_replayer(std::unique_ptr<vulkan_side> side, const std::string& shaders, std::size_t items,
               std::size_t launches)
      : m_side(std::move(side)), m_x(m_side->make_memory(items * sizeof(float), nullptr)),
        m_y(m_side->make_memory(items * sizeof(float), nullptr)), m_commands(m_side->make_commands()) {
    const axpy_arguments arguments{m_x.address, m_y.address, workload::a, std::uint32_t(items)};
    m_block = m_side->make_memory(sizeof(arguments), &arguments);
    m_side->record(m_commands, m_side->make_pipeline(shaders + "/axpy.spv", 64, 1), m_block.address,
                   std::uint32_t((items + 63) / 64), 1, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
                   launches);
  }
  void submit(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) m_side->submit(m_commands, VK_NULL_HANDLE);
  }
  void finish() override { check(vkQueueWaitIdle(m_side->queue()), "vkQueueWaitIdle"); }

private:
  std::unique_ptr<vulkan_side> m_side;
  vulkan_side::memory m_x, m_y, m_block;
  VkCommandBuffer m_commands;
};

} // namespace

std::unique_ptr<kernel_set> make_vulkan_set(const workload& work, const std::string& device_name,
                                            const std::string& shaders) {
  auto side = std::make_unique<vulkan_side>(device_name);
  return side->found() ? std::make_unique<vulkan_set>(work, std::move(side), shaders) : nullptr;
}

std::unique_ptr<submitter> make_vulkan_submitter(const std::string& device_name, const std::string& shaders,
                                                 std::size_t items) {
  auto side = std::make_unique<vulkan_side>(device_name);
  return side->found() ? std::make_unique<raw_submitter>(std::move(side), shaders, items) : nullptr;
}

std::unique_ptr<submitter> make_vulkan_replayer(const std::string& device_name, const std::string& shaders,
                                                std::size_t items, std::size_t launches) {
  auto side = std::make_unique<vulkan_side>(device_name);
  return side->found() ? std::make_unique<raw_replayer>(std::move(side), shaders, items, launches) : nullptr;
}

} // namespace bench
