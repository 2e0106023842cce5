// What the compiler proved about a kernel's accesses, for fusing several kernels. A kernel's record carries
// it as one more image, of a kind that no device accepts. Its bytes: element_wise, then slot_count
// element_slot, condition_count element_condition, three lists of element_place (of the OpenCL C text and of
// the first and the second Vulkan image), and refusal_bytes of text. A kernel with a refusal must not be
// fused; the text is the reason.
//
// A work-item's *own* element of a pointer is the one at its linear global id: pointer + id * stride, stride
// bytes long. An access is known to be to the own element only in launches in which all conditions hold.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>

namespace prism::image {

inline constexpr kind element_wise_kind = static_cast<kind>(101);
inline constexpr std::uint32_t element_wise_version = 1;

struct element_wise {
  std::uint32_t version = element_wise_version;
  std::uint32_t slot_count = 0, condition_count = 0;
  std::uint32_t places[3] = {0, 0, 0}; // lengths of the lists; 0: unknown
  std::uint32_t refusal_bytes = 0;
  std::uint32_t narrow_indices = 0; // 1: holds only for launches with less than 2^31 work-items
};

enum element_flag : std::uint32_t {
  element_is_read = 1, // the own element
  element_is_written = 2,
  others_are_read = 4, // other elements, at any index
  others_are_written = 8,
  element_is_written_always = 16, // all bytes, by every work-item
};

/// Accesses through one of the record's pointer slots; one for each slot, in their order.
struct element_slot {
  std::uint32_t flags = 0;
  std::uint32_t stride = 0;
};

/// A condition on a launch: factor * the captured words * the extents of the dimensions in the mask must
/// equal `what`.
struct element_condition {
  enum : std::uint32_t {
    step_x = 0,
    step_y = 1,
    step_z = 2,
    zero = 3
  }; // steps: 1, x, x * y work-items of the launch
  std::uint32_t what = 0;
  std::uint32_t extents = 0; // bit d: dimension d; conditions with extents hold for nd_ranges only
  std::uint64_t factor = 1;
  std::uint32_t offset[2] = {0, 0}; // of unsigned words in the captured block
  std::uint32_t bytes[2] = {0, 0};  // 0: none
};

/// An access in an image, in the image's order: in OpenCL C the accesses to global memory, in SPIR-V the
/// OpLoad and OpStore through results of OpConvertUToPtr.
struct element_place {
  static constexpr std::uint32_t elsewhere = ~std::uint32_t{0},
                                 captured = elsewhere - 1; // unknown; in the captured block
  std::uint32_t slot = elsewhere;                          // the slot whose own element it is
  std::uint32_t byte = 0;                                  // byte offset in the element
};

} // namespace prism::image
