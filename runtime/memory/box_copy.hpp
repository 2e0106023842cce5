// Copies between boxes of two shapes, joined into the fewest rows. Pure, but for the one that copies.
#pragma once

#include "devices/api/types.hpp"
#include "runtime/memory/geometry.hpp"

namespace prism::memory {

/// The copy of a box between two sides of the same geometry, with as few rows as possible.
devices::copy_command box_copy(const shape& from_shape, const byte_box& from_box, const shape& to_shape,
                               const byte_box& to_box);
/// Runs a copy between host addresses on this thread.
void copy_on_host(const devices::copy_command& c);

} // namespace prism::memory
