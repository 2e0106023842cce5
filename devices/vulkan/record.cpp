// Turns each command into device commands and host copies. The host copies only between memory that it can
// access; everything else goes through the staging ring, in pieces.
#include "devices/vulkan/commands.hpp"
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/image_copy.hpp"
#include "devices/vulkan/program.hpp"
#include "devices/vulkan/queue.hpp"
#include "devices/vulkan/semaphore_use.hpp"
#include "devices/vulkan/usm_window.hpp"

#include "devices/api/interop.hpp"

#include <algorithm>

namespace prism::devices::vulkan {

namespace {

constexpr std::uint64_t staging_piece = 4u << 20;
constexpr std::uint64_t largest_leading = 1u << 20; // largest copy in submit() that still returns quickly
constexpr std::uint64_t fill_tile = 16u << 10;

std::uint64_t bytes_of(const host_group& group) {
  std::uint64_t sum = 0;
  for (const auto& copy : group.copies) sum += copy.shape.bytes();
  return sum;
}

} // namespace

queue::copy_side queue::copy_side_of(const location& where) {
  if (!where.object) return {VK_NULL_HANDLE, 0, static_cast<std::byte*>(where.host)};
  auto& memory = static_cast<vulkan::memory&>(*where.object);
  return {memory.buffer(), memory.buffer_offset(), static_cast<std::byte*>(memory.host_pointer())};
}

void queue::record(const copy_command& copy) {
  const auto shape = box_of(copy);
  if (!shape.bytes()) return;
  const auto from = copy_side_of(copy.from), to = copy_side_of(copy.to);
  if (from.buffer && to.buffer)
    copy_on_device(shape, from.buffer, from.buffer_offset, to.buffer, to.buffer_offset);
  else if (from.host && to.host) copy_by_host({shape, from.host, to.host});
  else copy_staged(shape, from, to);
}

void queue::copy_on_device(const box& shape, VkBuffer from, std::uint64_t from_offset, VkBuffer to,
                           std::uint64_t to_offset) {
  const memory_use uses[] = {{from, from_offset + shape.from, from_offset + shape.from_end(), false},
                             {to, to_offset + shape.to, to_offset + shape.to_end(), true}};
  write_copy(m_device, device_command(uses), shape, from, from_offset, to, to_offset, m_regions);
}

/// The copy runs in submit() if it is first and small, otherwise on the host worker in its turn.
void queue::copy_by_host(const host_copy& copy) {
  const bool first = m_stage == stage::none;
  auto& group = host_stage();
  group.copies.push_back(copy);
  if (m_timing && !m_timed) group.first_timed = true;
  m_timed = m_timed || m_timing;
  if (first) m_leading = group.waits.empty();
  if (m_leading && m_batches.empty() && bytes_of(group) > largest_leading) m_leading = false;
}

/// The new host group reuses the memory of the last batch but one, so it does not wait for the last one.
void queue::let_host_go_ahead(bool has_two_before) {
  host_group& group = m_groups.back();
  group.waits.clear(); // groups run one after the other
  if (has_two_before) group.waits.push_back(m_batches[m_batches.size() - 2].signal);
}

/// The same for the new batch and the groups before it.
void queue::let_device_go_ahead(bool has_two_before) {
  batch& made = m_batches.back();
  m_waits.resize(made.first_wait);
  if (has_two_before) m_waits.push_back(m_groups[m_groups.size() - 2].signal);
  made.wait_count = m_waits.size() - made.first_wait;
}

/// Uses two pieces of staging memory alternately: the host copies one while the device copies the other.
void queue::copy_staged(const box& shape, const copy_side& from, const copy_side& to) {
  const auto piece_bytes = std::min(shape.bytes(), staging_piece);
  staging_ring::piece memory[2] = {m_ring.take(piece_bytes, m_point), {}};
  if (shape.bytes() > piece_bytes) memory[1] = m_ring.take(piece_bytes, m_point);
  std::size_t done = 0;
  for_each_piece(shape, staging_piece, [&](const box& piece) {
    const staging_ring::piece& staging = memory[done % 2];
    box out = piece, in = piece; // into and out of the staging memory, where rows are packed
    out.from = in.to = 0;
    out.from_row = in.to_row = piece.row_bytes;
    out.from_slice = in.to_slice = piece.row_bytes * piece.rows;
    if (from.buffer) {
      copy_on_device(in, from.buffer, from.buffer_offset, staging.buffer, staging.offset);
      if (done > 0) let_device_go_ahead(done > 1);
      copy_by_host({out, staging.host, to.host});
    } else {
      copy_by_host({in, from.host, staging.host});
      if (done > 0) let_host_go_ahead(done > 1);
      copy_on_device(out, staging.buffer, staging.offset, to.buffer, to.buffer_offset);
    }
    ++done;
  });
}

void queue::record(const fill_command& fill) {
  if (!fill.bytes) return;
  const auto& memory = static_cast<const vulkan::memory&>(*fill.object);
  const auto begin = memory.buffer_offset() + fill.offset, end = begin + fill.bytes;
  if (repeats_in_words(fill.pattern)) fill_words(memory.buffer(), begin, end, fill.pattern);
  else fill_tiled(memory.buffer(), begin, end, fill.pattern);
}

/// Fills whole words with vkCmdFillBuffer, and the odd bytes at both ends with copies.
void queue::fill_words(VkBuffer buffer, std::uint64_t begin, std::uint64_t end,
                       std::span<const std::byte> pattern) {
  const auto& vk = m_device.vk();
  const auto first = std::min(round_up(begin, 4), end), last = std::max(end / 4 * 4, first);
  const auto at = [&](std::uint64_t position) { return pattern[(position - begin) % pattern.size()]; };
  const memory_use use{buffer, begin, end, true};
  const auto commands = device_command({&use, 1});
  if (last > first) {
    vk.CmdFillBuffer(commands, buffer, first, last - first, fill_word(pattern, first - begin));
  }
  const auto odd = [&](std::uint64_t from, std::uint64_t to) {
    if (from == to) return;
    const auto bytes = m_ring.take(to - from, m_point);
    for (auto i = from; i < to; ++i) bytes.host[i - from] = at(i);
    const VkBufferCopy region{bytes.offset, from, to - from};
    vk.CmdCopyBuffer(commands, bytes.buffer, buffer, 1, &region);
  };
  odd(begin, first);
  odd(last, end);
}

/// Copies a tile from the ring, then doubles the filled part by copies within the buffer.
void queue::fill_tiled(VkBuffer buffer, std::uint64_t begin, std::uint64_t end,
                       std::span<const std::byte> pattern) {
  const auto total = end - begin;
  const auto tile = std::min(total, fill_tile / pattern.size() * pattern.size());
  const auto source = m_ring.take(tile, m_point);
  for (std::uint64_t at = 0; at < tile; at += pattern.size())
    std::copy(pattern.begin(), pattern.end(), source.host + at);
  copy_on_device({.row_bytes = tile}, source.buffer, source.offset, buffer, begin);
  for (std::uint64_t done = tile; done < total;) {
    const auto step = std::min(done, total - done);
    copy_on_device({.row_bytes = step}, buffer, begin, buffer, begin + done);
    done += step;
  }
}

void queue::record(const dispatch_command& dispatch) {
  if (const auto* const native = std::get_if<native_kernel>(&dispatch.target))
    return record_native(*native->launch, *dispatch.object);
  if (!dispatch.groups[0] || !dispatch.groups[1] || !dispatch.groups[2]) return;
  auto& kernel = static_cast<vulkan::kernel&>(*dispatch.object);
  const extent3 first = first_group_of(dispatch);
  for (std::size_t d = 0; d < 3; ++d)
    if (const std::uint64_t groups = first[d] + dispatch.groups[d]; groups > UINT32_MAX)
      throw device_error(
          error_category::invalid, "",
          "running kernel " + kernel.name() + ": " + std::to_string(groups) +
              " work-groups in one dimension, where kernels on Vulkan count them in 32 bits; use larger "
              "work-groups, more dimensions or several launches");
  const argument_blocks blocks = kernel.blocks_of(dispatch.arguments, m_pointers);
  const auto pipeline = kernel.pipeline(shape_of(dispatch), kernel.kind_for(blocks, dispatch));
  image::push_constants constants{};
  if (!dispatch.arguments.empty()) {
    const auto block = m_ring.take(dispatch.arguments.size(), m_point);
    std::memcpy(block.host, dispatch.arguments.data(), dispatch.arguments.size());
    constants.arguments = block.address;
  }
  if (const usm_window* window = m_device.made_window()) {
    constants.window_base = reinterpret_cast<std::uint64_t>(window->base());
    constants.window_bytes = window->size();
    constants.window_delta = window->delta();
  }
  constants.order = kernel.order_word();
  constants.constants = kernel.constants_address();
  if (kernel.watched()) constants.fault = m_points.watch().arm(m_point, m_points, kernel.display_name());
  const auto commands = device_command();
  if (pipeline != m_bound) bind(m_device, commands, pipeline);
  m_bound = pipeline;
  bind(m_device, commands, blocks);
  write_dispatch(m_device, commands, constants, dispatch);
}

/// A batch without commands waits, so that all later batches follow; or signals, after all before it.
void queue::record_use(const semaphore_use& what) {
  close_batch();
  if (what.waits()) {
    const std::size_t first = m_waits.size();
    batch& made = add_batch();
    made.first_wait = first;
    m_waits.push_back(what.which());
    made.wait_count = m_waits.size() - first;
  } else {
    add_batch().signal = what.which();
    add_batch(); // signals the queue's point
  }
}

/// A command of vulkan_interop or external_semaphore.
void queue::record_native(const native_launch& launch, const devices::kernel& what) {
  if (const auto* const semaphore = dynamic_cast<const semaphore_use*>(&what)) return record_use(*semaphore);
  const native_argument& memory = launch.arguments.front();
  if (memory.object == nullptr)
    throw device_error(error_category::invalid, "",
                       "copying a VkImage: " + m_device.info().name + " has no VkBuffer with that memory");
  const auto& bytes = static_cast<const vulkan::memory&>(*memory.object);
  const image_plan& plan = static_cast<const image_copy&>(what).plan();
  const std::uint64_t first = bytes.buffer_offset() + memory.offset;
  const memory_use use{bytes.buffer(), first, first + plan.end, !plan.into_image};
  check_offset(plan, first);
  write_image_copy(m_device, device_command({&use, 1}), plan, bytes.buffer(), first);
}

void queue::record(const barrier_command&) {} // the chain of stages is in order already

} // namespace prism::devices::vulkan
