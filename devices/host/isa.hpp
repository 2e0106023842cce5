// The instruction set level that this process's host kernels use: the processor's, or PRISM_HOST_ISA.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Throws device_error if PRISM_HOST_ISA names a level that is unknown or that this processor does not
/// support.
void check_isa();

/// The size of a vector of this level.
std::uint32_t vector_bytes();

} // namespace prism::devices::host
