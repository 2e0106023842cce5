// PRISM_TIMEOUT: reports waits that last longer, and what they wait for. Any thread.
#pragma once

#include <chrono>
#include <optional>

namespace prism::runtime {

/// Empty when the variable is unset, zero or not a number.
std::optional<std::chrono::nanoseconds> wait_watch_period();
/// Gives commands labels from now on, for these reports. Called once, by the process runtime.
void label_what_is_waited_for();

} // namespace prism::runtime
