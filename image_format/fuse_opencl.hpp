// Fuses the OpenCL C texts of several kernels into one kernel that calls them in order for each work-item. Or
// the last kernel computes elements of the others: they become a function of an element's index, which the
// last kernel's calls of prism_element_* name (sycl/detail/kernel_abi.hpp).
// Pure: input and output are texts. It relies on the form of text that compiler/opencl writes: a text has one
// kernel, every name of PRISM's begins with prism_, and an access to memory is one expression.
//
// A value that a kernel stores is rounded before the next kernel uses it, as without fusion: values in
// removed memory pass through integers, so the driver cannot contract operations across kernels.
#pragma once

#include "devices/api/element_wise.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prism::image_format {

/// A pointer slot whose memory is removed from the fused kernel: private memory replaces it.
struct removed_slot {
  std::uint32_t slot = 0, memory = 0, stride = 0;
};

struct opencl_part {
  std::string_view text;
  const image::kernel_record* record =
      nullptr; // gives argument_bytes and slots; has the flag arguments_by_value
  std::span<const image::element_place> places; // accesses in the text
  std::span<const removed_slot> removed;
  std::uint32_t offset = 0; // of its captured block in that of the fused kernel, a multiple of 8
  // Its first words, with which it checks its range, have the values of the first part's in every launch. It
  // reads those instead, so that the driver's compiler sees one check.
  std::uint32_t range_words = 0;
};

/// The element that the last part's calls compute: what the other parts write to this removed memory.
struct computed_element {
  std::uint32_t memory = 0, stride = 0;
};

struct fused_text {
  std::string text;
  bool by_value = false;
  std::string refusal; // if not empty, the reason why there is no text
};

/// Names the fused kernel `entry`. Its slots are those of all parts in order, except for the removed ones.
fused_text fuse_opencl(std::span<const opencl_part> parts, std::string_view entry,
                       std::uint32_t argument_bytes, const std::optional<computed_element>& element = {});

} // namespace prism::image_format
