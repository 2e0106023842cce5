#include "bench/raw_vulkan.hpp"

#include "bench/vulkan_side.hpp"

namespace bench {

namespace {

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
      : m_side(std::move(side)), m_shaders(shaders) {
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

  void start(kernel_id kernel) override {
    if (!m_commands[std::size_t(kernel)]) record(kernel); // builds the pipelines at first use, as PRISM does
    m_side->submit(m_commands[std::size_t(kernel)], VK_NULL_HANDLE);
  }
  void wait() override { check(vkQueueWaitIdle(m_side->queue()), "vkQueueWaitIdle"); }
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
    m_side->begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
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
