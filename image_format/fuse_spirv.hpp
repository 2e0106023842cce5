// Several kernels' Vulkan SPIR-V as one module whose entry point calls them in order for each work-item.
// Pure: words in, words out. It knows the instructions that compiler/spirv writes and refuses any other.
// Types, constants, built-ins and the push constants become one of each, as the specification asks
// (SPIR-V 2.8: no two types alike, no two variables of one built-in, no two SpecIds).
#pragma once

#include "image_format/fuse_opencl.hpp"

namespace prism::image_format {

struct spirv_part {
  std::span<const std::uint32_t> words;
  std::span<const image::element_place> places;
  std::span<const removed_slot> removed;
  std::uint32_t offset = 0; // of its captured block in the whole's, a multiple of 16
};

struct fused_module {
  std::vector<std::uint32_t> words;
  std::string refusal; // not empty: there is no module
};

fused_module join_spirv(std::span<const spirv_part> parts, std::string_view entry);

} // namespace prism::image_format
