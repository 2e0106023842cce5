// Runs one dispatch: divides its groups or items among threads; the calling thread alone runs a small
// dispatch.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Runs a range by the native function for whole groups if there is one, else by its body; an nd_range by the
/// native work-group function, else item by item (for programs compiled with -g -O0 or with
/// PRISM_HOST_KERNELS=fibers always). Fused kernels: see fused.hpp. `threads`: compute units. Throws what the
/// body throws, or device_error.
void execute_dispatch(const dispatch_command& dispatch, unsigned threads);

} // namespace prism::devices::host
