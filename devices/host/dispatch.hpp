// Runs one dispatch: splits its groups or items over threads, small ones on the calling thread alone.
#pragma once

#include "devices/api/types.hpp"

namespace prism::devices::host {

/// Native work-group function when the dispatch has a kernel, else its body (`range` preferred over `work_item`).
/// `threads`: compute units. Throws what the body throws, or device_error.
void execute_dispatch(const dispatch_command& dispatch, unsigned threads);

} // namespace prism::devices::host
