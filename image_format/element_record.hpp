// Reads, from a kernel's record, the facts that the compiler proved about the kernel's accesses to memory
// (devices/api/element_wise.hpp).
#pragma once

#include "devices/api/element_wise.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace prism::image_format {

struct element_record {
  std::string refusal; // why the kernel must not be fused; empty: it may
  bool narrow_indices = false;
  std::vector<image::element_slot> slots; // one per pointer slot of the record
  std::vector<image::element_condition> conditions;
  std::vector<image::element_place> places[4]; // for the OpenCL C text, and each Vulkan image
  std::vector<image::element_access> accesses;
  std::vector<image::element_index_check> checks;
  std::vector<image::element_term> terms;
};

/// Returns the element record; empty if there is none, or it has another version or is damaged.
std::optional<element_record> find_element_record(const image::kernel_record& record);

/// Returns the index in element_record::places of the list for an image of the record.
unsigned place_list_of(const image::kernel_record& record, const image::kernel_image* image);

/// Whether the image checks at its end that no loop was stopped early (devices/api/image.hpp).
bool watches_loops(const image::kernel_image& image);

struct element_launch {
  std::span<const std::byte> captured;
  std::array<std::uint64_t, 3> items{1, 1, 1};
  bool is_range = true;
};
/// Whether the record's statements about identity-indexed elements (a work-item's own elements) are true for
/// this launch.
bool holds(const element_record& record, const element_launch& launch);

/// Bytes from the pointer of a slot; negative ones are before it.
struct byte_reach {
  std::int64_t begin = 0, end = 0;
};
/// The bytes that the work-items in the box [first, last) of the launch access through the slot: from the
/// first to the last one, also if they use not all between them. Empty reach: none. No value: not known.
std::optional<byte_reach> reach_of(const element_record& record, std::uint32_t slot,
                                   const element_launch& launch, const std::array<std::uint64_t, 3>& first,
                                   const std::array<std::uint64_t, 3>& last);

} // namespace prism::image_format
