#include "devices/vulkan/command_buffer.hpp"

#include "devices/vulkan/commands.hpp"
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/program.hpp"
#include "devices/vulkan/usm_window.hpp"

#include <algorithm>
#include <cstring>

namespace prism::devices::vulkan {

namespace {

bool runs(const dispatch_command& d) { return d.groups[0] && d.groups[1] && d.groups[2]; }
std::uint64_t block_bytes(const dispatch_command& d) {
  return runs(d) ? round_up(d.arguments.size(), 16) : 0;
}

struct keepable {
  bool operator()(const dispatch_command& d) const {
    return !std::holds_alternative<native_kernel>(d.target) &&
           !static_cast<const kernel&>(*d.object).watched();
  }
  bool operator()(const copy_command& c) const { return c.from.object && c.to.object; }
  bool operator()(const fill_command& f) const {
    const auto begin = static_cast<const memory&>(*f.object).buffer_offset() + f.offset;
    return begin % 4 == 0 && f.bytes % 4 == 0 && repeats_in_words(f.pattern);
  }
  bool operator()(const barrier_command&) const { return true; }
};

} // namespace

std::unique_ptr<command_buffer> command_buffer::make(device& owner,
                                                     std::span<const command_buffer_step> steps) {
  std::uint64_t bytes = 0;
  for (const command_buffer_step& step : steps) {
    if (!std::visit(keepable(), step.what)) return nullptr;
    if (const auto* dispatch = std::get_if<dispatch_command>(&step.what)) bytes += block_bytes(*dispatch);
  }
  if (owner.has_window()) { // the commands contain the window's address, and a later kernel may get pointers
                            // into it
    try {
      owner.window();
    } catch (const device_error&) {
      return nullptr;
    }
  }
  auto made = std::make_unique<command_buffer>(owner);
  if (bytes) made->m_blocks = owner.memories().allocate(bytes, placement::host_coherent, 64);
  made->begin();
  made->record(steps);
  return made;
}

command_buffer::~command_buffer() {
  if (m_pool) m_device.vk().DestroyCommandPool(m_device.handle(), m_pool, nullptr);
  if (m_blocks.owner) m_device.memories().free(m_blocks);
}

void command_buffer::begin() {
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = m_device.hardware().queues.compute_family;
  m_device.check(m_device.vk().CreateCommandPool(m_device.handle(), &pool, nullptr, &m_pool),
                 "creating a command pool");
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = m_pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  m_device.check(m_device.vk().AllocateCommandBuffers(m_device.handle(), &allocate, &m_commands),
                 "allocating command buffers");
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT; // may be submitted again before its last
                                                             // execution has completed
  m_device.check(m_device.vk().BeginCommandBuffer(m_commands, &info), "recording commands");
}

void command_buffer::record(std::span<const command_buffer_step> steps) {
  device_barrier(m_device, m_commands, true);
  bool dirty = false;
  for (const command_buffer_step& step : steps) {
    if (std::holds_alternative<barrier_command>(step.what)) continue; // the next step states whether it waits
    if (dirty && step.after_all) device_barrier(m_device, m_commands, true);
    std::visit([this](const auto& each) { record(each); }, step.what);
    dirty = true;
  }
  closing_barrier(m_device, m_commands, true);
  m_device.check(m_device.vk().EndCommandBuffer(m_commands), "recording commands");
}

void command_buffer::record(const dispatch_command& dispatch) {
  if (!runs(dispatch)) return;
  auto& kernel = static_cast<vulkan::kernel&>(*dispatch.object);
  const auto pipeline = kernel.pipeline(
      shape_of(dispatch), module_kind::by_addresses); // its pointers may be freed before it runs again
  image::push_constants constants{};
  constants.order = kernel.order_word();
  constants.constants = kernel.constants_address();
  if (!dispatch.arguments.empty()) {
    std::memcpy(m_blocks.mapped() + m_used, dispatch.arguments.data(), dispatch.arguments.size());
    constants.arguments = m_blocks.address() + m_used;
    m_used += block_bytes(dispatch);
  }
  if (const usm_window* window = m_device.made_window()) {
    constants.window_base = reinterpret_cast<std::uint64_t>(window->base());
    constants.window_bytes = window->size();
    constants.window_delta = window->delta();
  }
  if (pipeline != m_bound) bind(m_device, m_commands, pipeline);
  m_bound = pipeline;
  write_dispatch(m_device, m_commands, constants, dispatch);
}

void command_buffer::record(const copy_command& copy) {
  const auto& from = static_cast<const memory&>(*copy.from.object);
  const auto& to = static_cast<const memory&>(*copy.to.object);
  const auto shape = box_of(copy);
  if (shape.bytes())
    write_copy(m_device, m_commands, shape, from.buffer(), from.buffer_offset(), to.buffer(),
               to.buffer_offset(), m_regions);
}

void command_buffer::record(const fill_command& fill) {
  if (!fill.bytes) return;
  const auto& target = static_cast<const memory&>(*fill.object);
  m_device.vk().CmdFillBuffer(m_commands, target.buffer(), target.buffer_offset() + fill.offset, fill.bytes,
                              fill_word(fill.pattern, 0));
}

} // namespace prism::devices::vulkan
