// The single entry point through which the engine's calls reach the runtime.
#pragma once

#include "runtime/root/process_runtime.hpp"

namespace prism {

/// Returns the runtime, which the first call creates. Throws prism::error in a forked child and when no
/// device can be opened.
inline runtime::process_runtime& enter() { return runtime::process_runtime::get(); }

} // namespace prism
