// Divides a kernel's range into pieces that run one after another, so that only the bytes that one piece
// accesses need to be in the device's memory. Pure functions of what the compiler proved about the kernel's
// accesses (image_format::reach_of), its captured values and the sizes of its buffers.
#pragma once

#include "image_format/element_record.hpp"
#include "runtime/memory/geometry.hpp"

#include <string>
#include <vector>

namespace prism::runtime {

/// An accessor of the kernel to a buffer of which the device holds ranges only.
struct piece_use {
  std::vector<std::uint32_t> slots; // of the record, with the accessor's pointer
  std::uint64_t offset = 0;         // of that pointer from the view's first byte
  memory::shape view;               // the accessor's buffer or sub-buffer
  std::uint64_t element_bytes = 1;
  std::uint64_t view_offset = 0; // of the view in its root
  std::size_t root = 0;          // views with the same number share their memory
};

struct piece_problem {
  image_format::element_record facts;
  image_format::element_launch launch;
  std::array<std::uint64_t, 3> local{1, 1, 1}; // work-items of a group
  std::vector<piece_use> uses;
  std::uint64_t fixed_bytes = 0; // of buffers that are in the memory whole
  std::uint64_t limit = 0;       // of the memory
  std::uint64_t largest = 0;     // of an allocation; 0: any
};

/// Work-groups of a dimension, and all of the others.
struct group_range {
  std::array<std::uint64_t, 3> local{1, 1, 1};
  unsigned dimension = 0;
  std::uint64_t first = 0, count = 0;
};

struct piece_plan {
  std::string refusal;      // why the range cannot be divided, to follow "because"; empty: it can
  group_range piece;        // the first piece; the others have as many groups
  std::uint64_t groups = 0; // in the dimension
};

/// Pieces use at most a fourth of the memory if they can, so that copies for the next piece overlap with a
/// piece that runs.
piece_plan plan_pieces(const piece_problem& problem);

/// The bytes of the accessor's view that the groups use, whole elements and, in views of several dimensions,
/// whole rows or slices. Empty: none. The use must be one of a problem that was not refused.
memory::interval bytes_of_piece(const piece_problem& problem, const piece_use& use, const group_range& piece);

} // namespace prism::runtime
