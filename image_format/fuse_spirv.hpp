// Fuses the Vulkan SPIR-V of several kernels into one module whose entry point calls them in order for each
// work-item, or whose last one computes elements of the others, as in fuse_opencl. Pure: input and output are
// words. It accepts only the instructions that compiler/spirv writes.
// Equal types, constants, built-ins and push constants are merged, as the specification requires (SPIR-V 2.8:
// no two equal types, no two variables of one built-in, no two equal SpecIds).
#pragma once

#include "image_format/fuse_opencl.hpp"

namespace prism::image_format {

struct spirv_part {
  std::span<const std::uint32_t> words;
  std::span<const image::element_place> places;
  std::span<const removed_slot> removed;
  std::uint32_t offset = 0; // of its captured block in that of the fused kernel, a multiple of 16
};

struct fused_module {
  std::vector<std::uint32_t> words;
  std::string refusal; // if not empty, the reason why there is no module
};

fused_module fuse_spirv(std::span<const spirv_part> parts, std::string_view entry,
                        const std::optional<computed_element>& element = {});

} // namespace prism::image_format
