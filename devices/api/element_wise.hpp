// What the compiler proved about a kernel's accesses, for fusing several kernels, and for running parts of a
// range one after another where its buffers do not fit into the memory. A kernel's record carries it as one
// more image, of a kind that no device accepts. Its bytes: element_wise, then slot_count element_slot,
// condition_count element_condition, three lists of element_place (of the OpenCL C text and of the first and
// the second Vulkan image), access_count element_access, check_count element_index_check, term_count
// element_term, and refusal_bytes of text.
// A kernel with a refusal must not be fused or divided; the text is the reason.
//
// A work-item's *own* element of a pointer is the one at its linear global id: pointer + id * stride, stride
// bytes long. An access is known to be to the own element only in launches in which all conditions hold.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>

namespace prism::image {

inline constexpr kind element_wise_kind = static_cast<kind>(101);
inline constexpr std::uint32_t element_wise_version = 4;

struct element_wise {
  std::uint32_t version = element_wise_version;
  std::uint32_t slot_count = 0, condition_count = 0;
  std::uint32_t places[4] = {0, 0, 0, 0}; // lengths of the lists; 0: unknown
  std::uint32_t refusal_bytes = 0;
  std::uint32_t narrow_indices = 0; // 1: holds only for launches with less than 2^31 work-items
  std::uint32_t access_count = 0, term_count = 0, check_count = 0;
};

enum element_flag : std::uint32_t {
  element_is_read = 1, // the own element
  element_is_written = 2,
  others_are_read = 4, // other elements, at any index
  others_are_written = 8,
  element_is_written_always = 16, // all bytes, by every work-item
  // some accesses are not in the list of element_access: they may reach any byte of the memory
  reaches_anywhere = 32,
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
  std::uint32_t narrows = 0;        // 1: index computations in 32 bits rely on it
  std::uint32_t unused = 0;
};

/// A product in a distance: factor * the captured words * the global id of one dimension. Words and distances
/// are signed; the record holds only for launches in which words of 4 bytes are below 2^31.
struct element_term {
  static constexpr std::uint32_t no_id = 3;
  std::int64_t factor = 0; // bytes
  std::uint32_t dimension = no_id;
  std::uint32_t offset[2] = {0, 0}; // of the words in the captured block
  std::uint32_t bytes[2] = {0, 0};  // 0: none
  std::uint32_t unused = 0;
};

enum access_bound : std::uint32_t { bounds_begin = 1, bounds_end = 2 };

/// An access of `bytes` bytes through a slot, at the sum of its terms from the slot's pointer. It holds also
/// in launches in which only those of the record's conditions hold that `narrows` marks. A clamped index
/// gives several: the bytes of a slot are between the least start of those with bounds_begin and the greatest
/// end of those with bounds_end.
struct element_access {
  std::uint32_t slot = 0, bytes = 0;
  std::uint32_t first_term = 0, term_count = 0;
  std::uint32_t bounds = bounds_begin | bounds_end;
};

enum class index_bound : std::uint32_t { signed_32_bits = 0, not_negative = 1 };

/// All accesses are right only in launches in which the sum of these terms is within the bound for every
/// work-item.
struct element_index_check {
  index_bound bound = index_bound::signed_32_bits;
  std::uint32_t first_term = 0, term_count = 0;
};

/// An access in an image, in the image's order: in OpenCL C the accesses to global memory, in SPIR-V the
/// OpLoad and OpStore through results of OpConvertUToPtr.
struct element_place {
  static constexpr std::uint32_t elsewhere = ~std::uint32_t{0},
                                 captured = elsewhere - 1, // unknown; in the captured block
      others = captured - 1;      // through a slot whose record says that others' elements are accessed
  std::uint32_t slot = elsewhere; // the slot whose own element it is
  std::uint32_t byte = 0;         // byte offset in the element
};

} // namespace prism::image
