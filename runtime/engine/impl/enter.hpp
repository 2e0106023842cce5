// The one door through which the engine's calls come to the runtime.
#pragma once

#include "runtime/root/context.hpp"

namespace prism {

/// The runtime, made at the first use. Throws prism::error in a child made by fork, and when no device can be
/// opened.
inline schedule::context& enter() { return schedule::context::get(); }

} // namespace prism
