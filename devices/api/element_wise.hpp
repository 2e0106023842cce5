// What the compiler proved of a kernel's accesses, for those who run several kernels as one: carried in a
// kernel's record as one more image, of a kind that no device accepts. Its bytes: element_wise, then
// slot_count element_slot, condition_count element_condition, three lists of element_place (of the OpenCL C
// text and of the first and the second Vulkan image), and refusal_bytes of text. A kernel with a refusal is
// not to be fused with others: the text says why.
//
// A work-item's *own* element of a pointer is the one at its linear global id: pointer + id * stride, stride
// bytes long. That an access is to the own element holds for launches in which all conditions hold.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>

namespace prism::image {

inline constexpr kind element_wise_kind = static_cast<kind>(101);
inline constexpr std::uint32_t element_wise_version = 1;

struct element_wise {
  std::uint32_t version = element_wise_version;
  std::uint32_t slot_count = 0, condition_count = 0;
  std::uint32_t places[3] = {0, 0, 0}; // lengths of the lists; 0: not known
  std::uint32_t refusal_bytes = 0;
  std::uint32_t narrow_indices = 0; // 1: only where the launch has less than 2^31 work-items
};

enum element_flag : std::uint32_t {
  element_is_read = 1, // the own one
  element_is_written = 2,
  others_are_read = 4, // at any place
  others_are_written = 8,
  element_is_written_always = 16, // all its bytes, by every work-item
};

/// What is done through one of the record's pointer slots; one for each slot, in their order.
struct element_slot {
  std::uint32_t flags = 0;
  std::uint32_t stride = 0;
};

/// Of a launch: factor * the captured words * the extents of the dimensions in the mask must be `what`.
struct element_condition {
  enum : std::uint32_t {
    step_x = 0,
    step_y = 1,
    step_z = 2,
    zero = 3
  }; // steps: 1, x, x * y work-items of the launch
  std::uint32_t what = 0;
  std::uint32_t extents = 0; // bit d; such conditions hold for nd_ranges only
  std::uint64_t factor = 1;
  std::uint32_t offset[2] = {0, 0}; // of unsigned words in the captured block
  std::uint32_t bytes[2] = {0, 0};  // 0: none
};

/// An access in an image, in the order in which the image has them: in OpenCL C those to global memory, in
/// SPIR-V OpLoad and OpStore through the results of OpConvertUToPtr.
struct element_place {
  static constexpr std::uint32_t elsewhere = ~std::uint32_t{0},
                                 captured = elsewhere - 1; // unknown; in the captured block
  std::uint32_t slot = elsewhere;                          // whose own element it is
  std::uint32_t byte = 0;                                  // in the element
};

} // namespace prism::image
