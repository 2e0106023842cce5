// Commands recorded once into a command buffer that is submitted many times: dispatches, with their captured
// blocks in separate memory, copies between device buffers, fills in whole words. Any thread may make one;
// queue::execute runs it.
#pragma once

#include "devices/vulkan/device.hpp"

namespace prism::devices::vulkan {

class command_buffer final : public devices::command_buffer {
public:
  /// Null if a step cannot be recorded: a copy with a host side, a fill not in whole words, a kernel whose
  /// loops the queue watches (the word it sets belongs to one submission).
  static std::unique_ptr<command_buffer> make(device& owner, std::span<const command_buffer_step> steps);
  explicit command_buffer(device& owner) : m_device(owner) {}
  ~command_buffer() override;

  VkCommandBuffer commands() const noexcept { return m_commands; }

private:
  void begin();
  void record(std::span<const command_buffer_step> steps);
  void record(const dispatch_command& dispatch);
  void record(const copy_command& copy);
  void record(const fill_command& fill);
  void record(const barrier_command&) {}

  device& m_device;
  counted_object m_counted{m_device.objects().command_buffers};
  VkCommandPool m_pool = VK_NULL_HANDLE;
  VkCommandBuffer m_commands = VK_NULL_HANDLE;
  range m_blocks;           // captured blocks
  std::uint64_t m_used = 0; // used bytes of it
  VkPipeline m_bound = VK_NULL_HANDLE;
  std::vector<VkBufferCopy> m_regions;
};

} // namespace prism::devices::vulkan
