// Copies between memory and an image of the program (devices/api/vulkan_interop.hpp): checks a region against
// the image, and records the copy between two changes of the image's layout. All but write_image_copy is
// pure.
#pragma once

#include "devices/vulkan/device.hpp"

namespace prism::devices::vulkan {

struct image_plan {
  VkImage image = VK_NULL_HANDLE;
  bool into_image = false;
  VkBufferImageCopy region{};      // bufferOffset counts from the memory that a launch gives
  VkImageSubresourceRange range{}; // whose layout changes
  VkImageLayout before{}, during{}, after{};
  std::uint64_t end = 0;       // one past the last byte of the memory
  std::uint64_t alignment = 0; // of the place of the first texel in its VkBuffer
};

/// `draws`: whether the queues that may run it belong to a family with graphics. Throws device_error{invalid}
/// for what does not fit, {unsupported} for formats and aspects that PRISM does not copy.
image_plan plan_image_copy(const vulkan_image_part& what, bool into_image, bool draws);

/// Bytes of a texel of the format in one aspect. 0: its texels are compressed, or in several planes, or it is
/// no format of Vulkan 1.0; or it has no such aspect.
std::uint32_t texel_bytes(VkFormat format, VkImageAspectFlags aspect) noexcept;

/// Throws device_error{invalid} if a copy cannot have its memory start at this byte of a VkBuffer.
void check_offset(const image_plan& plan, std::uint64_t first);

/// The copy orders itself after all that the VkQueue got before, and before all that it gets afterwards: the
/// program may use the image there.
void write_image_copy(const device& on, VkCommandBuffer into, const image_plan& plan, VkBuffer memory,
                      std::uint64_t first);

/// What a dispatch of the copy names as its kernel.
class image_copy final : public devices::kernel {
public:
  explicit image_copy(const image_plan& plan) : m_plan(plan) {}
  kernel_limits limits() const override { return {}; }
  const image_plan& plan() const noexcept { return m_plan; }

private:
  const image_plan m_plan;
};

} // namespace prism::devices::vulkan
