// Runs one dispatch: splits its groups or items over threads, small ones on the calling thread alone.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// A range by the native function for whole groups where there is one, else by its body; groups by the native
/// work-group function, else item by item (PRISM_HOST_KERNELS=fibers: always). Joined kernels: see
/// fused.hpp. `threads`: compute units. Throws what the body throws, or device_error.
void execute_dispatch(const dispatch_command& dispatch, unsigned threads);

} // namespace prism::devices::host
