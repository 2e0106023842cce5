// Writes commands into VkCommandBuffers, for commands that run once and for recorded command buffers.
#pragma once

#include "devices/vulkan/box.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/program.hpp"

namespace prism::devices::vulkan {

/// Everything before it, on this VkQueue and on the host, happens before everything after it, on both.
void full_barrier(const device& on, VkCommandBuffer into);

/// The commands before it, on this VkQueue, happen before those after it. `computes`: the VkQueue runs
/// kernels too, not only copies. It does not reach the host, which costs NVIDIA's driver some 3 us.
void device_barrier(const device& on, VkCommandBuffer into, bool computes);
/// The same; then the host sees what the commands wrote, once a semaphore says that they are complete.
void closing_barrier(const device& on, VkCommandBuffer into, bool computes);

/// Binds the pipeline, and the memory on devices without buffer device addresses.
void bind(device& on, VkCommandBuffer into, VkPipeline pipeline);

/// Binds the buffers that a kernel reaches in place of addresses.
void bind(device& on, VkCommandBuffer into, const argument_blocks& blocks);

/// `constants` is complete except for the groups; the pipeline is bound.
void write_dispatch(const device& on, VkCommandBuffer into, image::push_constants constants,
                    const dispatch_command& dispatch);

/// `regions`: scratch memory.
void write_copy(const device& on, VkCommandBuffer into, const box& shape, VkBuffer from,
                std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                std::vector<VkBufferCopy>& regions);

/// The word for vkCmdFillBuffer such that byte `at` becomes pattern[at % size]; the pattern repeats in words.
std::uint32_t fill_word(std::span<const std::byte> pattern, std::uint64_t at) noexcept;
/// Whether vkCmdFillBuffer can write the pattern: it repeats every four bytes.
bool repeats_in_words(std::span<const std::byte> pattern) noexcept;

} // namespace prism::devices::vulkan
