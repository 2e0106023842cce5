#include "runtime/memory/box_copy.hpp"

#include <cassert>
#include <cstring>

namespace prism::memory {

devices::copy_command box_copy(const shape& from_shape, const byte_box& from_box, const shape& to_shape,
                               const byte_box& to_box) {
  devices::copy_command c;
  c.row_bytes = from_box.hi[2] - from_box.lo[2];
  c.rows = from_box.hi[1] - from_box.lo[1];
  c.slices = from_box.hi[0] - from_box.lo[0];
  c.from.offset = offset_of(from_shape, from_box.lo);
  c.to.offset = offset_of(to_shape, to_box.lo);
  c.from.row_pitch = from_shape.row_bytes;
  c.to.row_pitch = to_shape.row_bytes;
  c.from.slice_pitch = from_shape.row_bytes * from_shape.rows;
  c.to.slice_pitch = to_shape.row_bytes * to_shape.rows;
  if (c.rows == 1) { // slices of one row each become rows
    c.rows = c.slices;
    c.slices = 1;
    c.from.row_pitch = c.from.slice_pitch;
    c.to.row_pitch = c.to.slice_pitch;
  }
  if (c.slices > 1 && c.from.slice_pitch == c.rows * c.from.row_pitch &&
      c.to.slice_pitch == c.rows * c.to.row_pitch) {
    c.rows *= c.slices;
    c.slices = 1;
  }
  if (c.row_bytes == c.from.row_pitch && c.row_bytes == c.to.row_pitch) { // full rows become one long row
    c.row_bytes *= c.rows;
    c.rows = c.slices;
    c.slices = 1;
    c.from.row_pitch = c.from.slice_pitch;
    c.to.row_pitch = c.to.slice_pitch;
    if (c.rows > 1 && c.row_bytes == c.from.row_pitch && c.row_bytes == c.to.row_pitch) {
      c.row_bytes *= c.rows;
      c.rows = 1;
    }
  }
  if (c.slices == 1)
    c.from.slice_pitch = c.from.row_pitch * c.rows, c.to.slice_pitch = c.to.row_pitch * c.rows;
  return c;
}

void copy_on_host(const devices::copy_command& c) {
  assert(c.from.object == nullptr && c.to.object == nullptr);
  const auto* from = static_cast<const std::byte*>(c.from.host) + c.from.offset;
  auto* to = static_cast<std::byte*>(c.to.host) + c.to.offset;
  for (std::uint64_t s = 0; s < c.slices; ++s)
    for (std::uint64_t r = 0; r < c.rows; ++r)
      std::memmove(to + s * c.to.slice_pitch + r * c.to.row_pitch,
                   from + s * c.from.slice_pitch + r * c.from.row_pitch, c.row_bytes);
}

} // namespace prism::memory
