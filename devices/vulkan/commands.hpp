// What is written into command buffers, the same for commands that run once and for those of command buffers.
#pragma once

#include "devices/vulkan/box.hpp"
#include "devices/vulkan/device.hpp"

namespace prism::devices::vulkan {

/// Everything before, of this VkQueue and of the host, happens before everything after, of both.
void full_barrier(const device& on, VkCommandBuffer into);

/// `constants` but for the counts; the pipeline is bound.
void write_dispatch(const device& on, VkCommandBuffer into, image::push_constants constants,
                    const extent3& groups);

/// `regions`: for use inside.
void write_copy(const device& on, VkCommandBuffer into, const box& shape, VkBuffer from,
                std::uint64_t from_offset, VkBuffer to, std::uint64_t to_offset,
                std::vector<VkBufferCopy>& regions);

/// The word that vkCmdFillBuffer writes so that byte `at` is pattern[at % size]; the pattern repeats in
/// words.
std::uint32_t fill_word(std::span<const std::byte> pattern, std::uint64_t at) noexcept;
/// A pattern that repeats every four bytes can be written by vkCmdFillBuffer.
bool repeats_in_words(std::span<const std::byte> pattern) noexcept;

} // namespace prism::devices::vulkan
