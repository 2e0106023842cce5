// The instruction set level that this process's host kernels use: the processor's, or PRISM_HOST_ISA.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// "baseline", "x86-64-v3" or "x86-64-v4". A program's kernels may have been compiled for more than the baseline.
const char* isa_name();

/// Throws device_error when PRISM_HOST_ISA names a level that there is not, or that this processor has not.
void check_isa();

} // namespace prism::devices::host
