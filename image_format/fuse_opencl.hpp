// Several kernels' OpenCL C texts as one kernel that calls them in order for each work-item. Pure: texts in,
// text out. It works on the form that compiler/opencl writes: one kernel a text, every name of ours begins
// with prism_, an access to memory is one expression.
//
// Nothing that one kernel rounds is left to the next unrounded: what passes through memory that was removed
// goes through integers.
#pragma once

#include "devices/api/element_wise.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::image_format {

/// A pointer slot whose memory the joined kernel does without.
struct removed_slot {
  std::uint32_t slot = 0, memory = 0, stride = 0;
};

struct opencl_part {
  std::string_view text;
  const image::kernel_record* record = nullptr; // of argument_bytes and slots; arguments_by_value
  std::span<const image::element_place> places; // of the text
  std::span<const removed_slot> removed;
  std::uint32_t offset = 0; // of its captured block in the whole's, a multiple of 8
};

struct fused_text {
  std::string text;
  bool by_value = false;
  std::string refusal; // not empty: there is no text
};

/// The kernel is called `entry`; its slots are those of all parts in order, without the removed ones.
fused_text join_opencl(std::span<const opencl_part> parts, std::string_view entry,
                       std::uint32_t argument_bytes);

} // namespace prism::image_format
