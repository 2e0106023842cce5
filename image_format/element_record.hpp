// What the compiler proved of a kernel's accesses (devices/api/element_wise.hpp), read from its record.
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
  std::string refusal; // empty: the kernel may be joined with others
  bool narrow_indices = false;
  std::vector<image::element_slot> slots; // as many as the record's
  std::vector<image::element_condition> conditions;
  std::vector<image::element_place> places[3]; // OpenCL C, the Vulkan images
};

/// Nothing when the record has none, or one of another version, or a damaged one.
std::optional<element_record> find_element_record(const image::kernel_record& record);

/// Which of the three lists is that of an image of the record.
unsigned place_list_of(const image::kernel_record& record, const image::kernel_image* image);

/// The image checks at its end that its loops were not cut short (devices/api/image.hpp).
bool watches_loops(const image::kernel_image& image);

struct element_launch {
  std::span<const std::byte> captured;
  std::array<std::uint64_t, 3> items{1, 1, 1};
  bool is_range = true;
};
/// Whether what the record says of own elements is so in this launch.
bool holds(const element_record& record, const element_launch& launch);

} // namespace prism::image_format
