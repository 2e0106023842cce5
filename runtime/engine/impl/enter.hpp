// The one door through which the engine's calls come to the runtime.
#pragma once

#include "runtime/root/process_runtime.hpp"

namespace prism {

/// The runtime, made at the first use. Throws prism::error in a child made by fork, and when no device can be
/// opened.
inline runtime::process_runtime& enter() { return runtime::process_runtime::get(); }

} // namespace prism
