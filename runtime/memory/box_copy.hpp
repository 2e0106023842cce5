// Copies between boxes of two shapes, merged into the fewest rows. Pure, except copy_on_host.
#pragma once

#include "devices/api/types.hpp"
#include "runtime/memory/geometry.hpp"

namespace prism::memory {

/// The copy of a box between two sides with the same extents, in as few rows as possible.
devices::copy_command box_copy(const shape& from_shape, const byte_box& from_box, const shape& to_shape,
                               const byte_box& to_box);
/// Executes a copy between host addresses on this thread.
void copy_on_host(const devices::copy_command& c);

} // namespace prism::memory
