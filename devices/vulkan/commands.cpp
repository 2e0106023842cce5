#include "devices/vulkan/commands.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace prism::devices::vulkan {

namespace {
constexpr std::size_t regions_a_command = 1024;
}

void full_barrier(const device& on, VkCommandBuffer into) {
  constexpr VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  on.vk().CmdPipelineBarrier(into, all, all, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

namespace {
void barrier_of(const device& on, VkCommandBuffer into, bool computes, VkPipelineStageFlags host,
                VkAccessFlags host_access) {
  const VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_TRANSFER_BIT |
      (computes ? VkPipelineStageFlags(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT) : VkPipelineStageFlags(0));
  const VkAccessFlags writes = VK_ACCESS_TRANSFER_WRITE_BIT |
                               (computes ? VkAccessFlags(VK_ACCESS_SHADER_WRITE_BIT) : VkAccessFlags(0));
  const VkAccessFlags reads =
      VK_ACCESS_TRANSFER_READ_BIT | (computes ? VkAccessFlags(VK_ACCESS_SHADER_READ_BIT) : VkAccessFlags(0));
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = writes;
  barrier.dstAccessMask = reads | writes | host_access;
  on.vk().CmdPipelineBarrier(into, stages, stages | host, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}
} // namespace

void device_barrier(const device& on, VkCommandBuffer into, bool computes) {
  barrier_of(on, into, computes, 0, 0);
}

void closing_barrier(const device& on, VkCommandBuffer into, bool computes) {
  barrier_of(on, into, computes, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

void bind(device& on, VkCommandBuffer into, VkPipeline pipeline) {
  on.vk().CmdBindPipeline(into, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  if (const VkDescriptorSet set = on.descriptors())
    on.vk().CmdBindDescriptorSets(into, VK_PIPELINE_BIND_POINT_COMPUTE, on.pipeline_layout(), 0, 1, &set, 0,
                                  nullptr);
}

void bind(device& on, VkCommandBuffer into, const argument_blocks& blocks) {
  if (blocks.count == 0) return;
  VkDescriptorBufferInfo infos[lower::most_argument_buffers];
  VkWriteDescriptorSet writes[lower::most_argument_buffers];
  std::uint32_t bases[lower::most_argument_buffers];
  for (std::uint32_t i = 0; i < blocks.count; ++i) {
    const block& each = *blocks.which[i];
    infos[i] = {each.buffer(), 0, each.size()};
    writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &infos[i];
    bases[i] = static_cast<std::uint32_t>(each.address());
  }
  on.vk().CmdPushDescriptorSetKHR(into, VK_PIPELINE_BIND_POINT_COMPUTE, on.pipeline_layout(), 0, blocks.count,
                                  writes);
  on.vk().CmdPushConstants(into, on.pipeline_layout(), VK_SHADER_STAGE_COMPUTE_BIT, lower::bases_offset,
                           blocks.count * 4, bases);
}

void write_dispatch(const device& on, VkCommandBuffer into, image::push_constants constants,
                    const dispatch_command& dispatch) {
  const extent3 &groups = dispatch.groups, first = first_group_of(dispatch),
                counts = group_counts_of(dispatch);
  for (std::size_t i = 0; i < 3; ++i) {
    assert(first[i] + groups[i] <= UINT32_MAX); // queue::record refuses more
    constants.group_count[i] = static_cast<std::uint32_t>(counts[i]);
  }
  const auto& limit = on.hardware().properties.limits.maxComputeWorkGroupCount;
  std::array<std::uint64_t, 3> base{};
  const auto part = [&](int i) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(limit[i], groups[i] - base[i]));
  };
  for (base[2] = 0; base[2] < groups[2]; base[2] += limit[2])
    for (base[1] = 0; base[1] < groups[1]; base[1] += limit[1])
      for (base[0] = 0; base[0] < groups[0]; base[0] += limit[0]) {
        for (std::size_t i = 0; i < 3; ++i)
          constants.group_base[i] = static_cast<std::uint32_t>(first[i] + base[i]);
        on.vk().CmdPushConstants(into, on.pipeline_layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants,
                                 &constants);
        on.vk().CmdDispatch(into, part(0), part(1), part(2));
      }
}

void write_copy(const device& on, VkCommandBuffer into, const box& shape, VkBuffer from,
                std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                std::vector<VkBufferCopy>& regions) {
  regions.clear();
  const auto write = [&] {
    on.vk().CmdCopyBuffer(into, from, to, static_cast<std::uint32_t>(regions.size()), regions.data());
    regions.clear();
  };
  for_each_row(shape, [&](std::uint64_t source, std::uint64_t target) {
    regions.push_back({from_offset + source, to_offset + target, shape.row_bytes});
    if (regions.size() == regions_a_command) write();
  });
  if (!regions.empty()) write();
}

std::uint32_t fill_word(std::span<const std::byte> pattern, std::uint64_t at) noexcept {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    word |= static_cast<std::uint32_t>(pattern[(at + i) % pattern.size()]) << (8 * i);
  return word;
}

bool repeats_in_words(std::span<const std::byte> pattern) noexcept {
  if (4 % pattern.size() == 0) return true;
  if (pattern.size() % 4) return false;
  for (std::size_t i = 4; i < pattern.size(); ++i)
    if (pattern[i] != pattern[i - 4]) return false;
  return true;
}

} // namespace prism::devices::vulkan
