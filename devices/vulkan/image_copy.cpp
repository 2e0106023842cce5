#include "devices/vulkan/image_copy.hpp"

#include <algorithm>
#include <string>

namespace prism::devices::vulkan {

namespace {

[[noreturn]] void refuse_image(error_category category, const std::string& why) {
  throw device_error(category, "", "copying a VkImage: " + why);
}
[[noreturn]] void refuse_image(const std::string& why) { refuse_image(error_category::invalid, why); }

/// Formats of Vulkan 1.0 up to this number, and the bytes of their texels. In the order of VkFormat.
struct format_group {
  VkFormat last;
  std::uint32_t bytes;
};
constexpr format_group groups[] = {
    {VK_FORMAT_UNDEFINED, 0},
    {VK_FORMAT_R4G4_UNORM_PACK8, 1},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2},
    {VK_FORMAT_R8_SRGB, 1},
    {VK_FORMAT_R8G8_SRGB, 2},
    {VK_FORMAT_B8G8R8_SRGB, 3},
    {VK_FORMAT_A2B10G10R10_SINT_PACK32, 4},
    {VK_FORMAT_R16_SFLOAT, 2},
    {VK_FORMAT_R16G16_SFLOAT, 4},
    {VK_FORMAT_R16G16B16_SFLOAT, 6},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
    {VK_FORMAT_R32_SFLOAT, 4},
    {VK_FORMAT_R32G32_SFLOAT, 8},
    {VK_FORMAT_R32G32B32_SFLOAT, 12},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
    {VK_FORMAT_R64_SFLOAT, 8},
    {VK_FORMAT_R64G64_SFLOAT, 16},
    {VK_FORMAT_R64G64B64_SFLOAT, 24},
    {VK_FORMAT_R64G64B64A64_SFLOAT, 32},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4},
};

struct depth_format {
  VkFormat format;
  std::uint32_t depth, stencil; // bytes of a texel in a buffer; 0: no such aspect
};
constexpr depth_format depths[] = {{VK_FORMAT_D16_UNORM, 2, 0},         {VK_FORMAT_X8_D24_UNORM_PACK32, 4, 0},
                                   {VK_FORMAT_D32_SFLOAT, 4, 0},        {VK_FORMAT_S8_UINT, 0, 1},
                                   {VK_FORMAT_D16_UNORM_S8_UINT, 2, 1}, {VK_FORMAT_D24_UNORM_S8_UINT, 4, 1},
                                   {VK_FORMAT_D32_SFLOAT_S8_UINT, 4, 1}};

const depth_format* depth_of(VkFormat format) noexcept {
  const auto* const found = std::find_if(std::begin(depths), std::end(depths),
                                         [&](const depth_format& each) { return each.format == format; });
  return found == std::end(depths) ? nullptr : found;
}

std::uint32_t colour_bytes(VkFormat format) noexcept {
  for (const format_group& each : groups)
    if (format <= each.last) return each.bytes;
  return 0;
}

/// All aspects of the format: a change of the layout concerns them together.
VkImageAspectFlags aspects_of(VkFormat format) noexcept {
  const depth_format* const depth = depth_of(format);
  if (!depth) return VK_IMAGE_ASPECT_COLOR_BIT;
  return (depth->depth ? VkImageAspectFlags(VK_IMAGE_ASPECT_DEPTH_BIT) : 0) |
         (depth->stencil ? VkImageAspectFlags(VK_IMAGE_ASPECT_STENCIL_BIT) : 0);
}

void check_image(const VkImageCreateInfo& image, bool into_image) {
  const VkImageUsageFlagBits needed =
      into_image ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  if (!(image.usage & needed))
    refuse_image(std::string("its usage lacks VK_IMAGE_USAGE_TRANSFER_") + (into_image ? "DST" : "SRC") +
                 "_BIT");
  if (image.samples != VK_SAMPLE_COUNT_1_BIT)
    refuse_image("it has " + std::to_string(image.samples) + " samples a texel; resolve it first");
}

/// Throws unless begin and begin + count lie in 0 to `all`.
void check_part(std::int64_t begin, std::int64_t count, std::int64_t all, const char* what) {
  if (begin >= 0 && count > 0 && begin <= all && count <= all - begin) return;
  refuse_image("the region's " + std::to_string(count) + " " + what + " from " + std::to_string(begin) +
               " are not in the image's " + std::to_string(all));
}

void check_region(const VkImageCreateInfo& image, const VkBufferImageCopy& region) {
  const VkImageSubresourceLayers& part = region.imageSubresource;
  check_part(part.mipLevel, 1, image.mipLevels, "mip levels");
  check_part(part.baseArrayLayer, part.layerCount, image.arrayLayers, "array layers");
  const auto at_level = [&](std::uint32_t extent) { return std::max(extent >> part.mipLevel, 1u); };
  check_part(region.imageOffset.x, region.imageExtent.width, at_level(image.extent.width), "columns");
  check_part(region.imageOffset.y, region.imageExtent.height, at_level(image.extent.height), "rows");
  check_part(region.imageOffset.z, region.imageExtent.depth, at_level(image.extent.depth), "slices");
  if (region.bufferRowLength != 0 && region.bufferRowLength < region.imageExtent.width)
    refuse_image("bufferRowLength is " + std::to_string(region.bufferRowLength) + " for rows of " +
                 std::to_string(region.imageExtent.width) + " texels");
  if (region.bufferImageHeight != 0 && region.bufferImageHeight < region.imageExtent.height)
    refuse_image("bufferImageHeight is " + std::to_string(region.bufferImageHeight) + " for " +
                 std::to_string(region.imageExtent.height) + " rows");
}

/// One past the last byte that the region uses; UINT64_MAX if it does not fit 64 bits.
std::uint64_t end_of(const VkBufferImageCopy& region, std::uint32_t bytes) noexcept {
  const std::uint64_t row = region.bufferRowLength ? region.bufferRowLength : region.imageExtent.width;
  const std::uint64_t rows = region.bufferImageHeight ? region.bufferImageHeight : region.imageExtent.height;
  const std::uint64_t slices =
      std::uint64_t(region.imageExtent.depth) * region.imageSubresource.layerCount; // one of them is 1
  std::uint64_t texels = 0, end = 0;
  if (__builtin_mul_overflow(row * rows, slices - 1, &texels) ||
      __builtin_add_overflow(texels, row * (region.imageExtent.height - 1) + region.imageExtent.width,
                             &texels) ||
      __builtin_mul_overflow(texels, bytes, &end) || __builtin_add_overflow(end, region.bufferOffset, &end))
    return UINT64_MAX;
  return end;
}

/// Without a layout that the copy can have, the image gets one for its time.
VkImageLayout layout_during(VkImageLayout before, bool into_image) noexcept {
  if (before == VK_IMAGE_LAYOUT_GENERAL) return before;
  return into_image ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
}

void check_layouts(const image_plan& plan) {
  if (plan.before == VK_IMAGE_LAYOUT_UNDEFINED && !plan.into_image)
    refuse_image("its layout before the copy is VK_IMAGE_LAYOUT_UNDEFINED, which loses what it contains");
  if (plan.after == VK_IMAGE_LAYOUT_UNDEFINED || plan.after == VK_IMAGE_LAYOUT_PREINITIALIZED)
    refuse_image(
        "its layout after the copy is VK_IMAGE_LAYOUT_UNDEFINED or VK_IMAGE_LAYOUT_PREINITIALIZED, which "
        "no image can be brought to");
}

} // namespace

std::uint32_t texel_bytes(VkFormat format, VkImageAspectFlags aspect) noexcept {
  const depth_format* const depth = depth_of(format);
  if (!depth) return aspect == VK_IMAGE_ASPECT_COLOR_BIT ? colour_bytes(format) : 0;
  if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT) return depth->depth;
  return aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? depth->stencil : 0;
}

image_plan plan_image_copy(const vulkan_image_part& what, bool into_image, bool draws) {
  if (what.image == nullptr) refuse_image("it is null");
  if (what.created == nullptr) refuse_image("the VkImageCreateInfo is null");
  if (what.region == nullptr) refuse_image("the VkBufferImageCopy is null");
  const auto& image = *static_cast<const VkImageCreateInfo*>(what.created);
  const auto& region = *static_cast<const VkBufferImageCopy*>(what.region);
  check_image(image, into_image);
  check_region(image, region);
  const VkImageSubresourceLayers& part = region.imageSubresource;
  const std::uint32_t bytes = texel_bytes(image.format, part.aspectMask);
  const std::string format = "VkFormat " + std::to_string(image.format);
  if (bytes == 0)
    refuse_image(error_category::unsupported, "aspect " + std::to_string(part.aspectMask) + " of " + format +
                                                  " is compressed, in several planes, or missing");
  const bool is_colour = part.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT;
  if (!is_colour && into_image && !draws)
    refuse_image(error_category::unsupported,
                 "only a queue family with VK_QUEUE_GRAPHICS_BIT writes depth and stencil");
  image_plan plan;
  plan.image = reinterpret_cast<VkImage>(what.image);
  plan.into_image = into_image;
  plan.region = region;
  plan.range = {aspects_of(image.format), part.mipLevel, 1, part.baseArrayLayer, part.layerCount};
  plan.before = static_cast<VkImageLayout>(what.before);
  plan.during = layout_during(plan.before, into_image);
  plan.after = static_cast<VkImageLayout>(what.after);
  check_layouts(plan);
  plan.end = end_of(region, bytes);
  plan.alignment = is_colour ? bytes : 4;
  return plan;
}

void check_offset(const image_plan& plan, std::uint64_t first) {
  const std::uint64_t at = first + plan.region.bufferOffset;
  if (at % plan.alignment != 0)
    refuse_image("the memory of its first texel lies at byte " + std::to_string(at) +
                 " of a VkBuffer, and Vulkan wants a multiple of " + std::to_string(plan.alignment) +
                 " for this format");
}

void write_image_copy(const device& on, VkCommandBuffer into, const image_plan& plan, VkBuffer memory,
                      std::uint64_t first) {
  const device_functions& vk = on.vk();
  VkImageMemoryBarrier change{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  change.image = plan.image;
  change.subresourceRange = plan.range;
  change.srcQueueFamilyIndex = change.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  change.oldLayout = plan.before;
  change.newLayout = plan.during;
  change.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  change.dstAccessMask = plan.into_image ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_TRANSFER_READ_BIT;
  vk.CmdPipelineBarrier(into, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                        nullptr, 0, nullptr, 1, &change);
  VkBufferImageCopy region = plan.region;
  region.bufferOffset += first;
  if (plan.into_image) vk.CmdCopyBufferToImage(into, memory, plan.image, plan.during, 1, &region);
  else vk.CmdCopyImageToBuffer(into, plan.image, plan.during, memory, 1, &region);
  change.oldLayout = plan.during;
  change.newLayout = plan.after;
  change.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  change.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vk.CmdPipelineBarrier(into, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                        nullptr, 0, nullptr, 1, &change);
}

} // namespace prism::devices::vulkan
