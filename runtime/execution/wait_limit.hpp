// The longest time that a thread waits for a command: PRISM_TIMEOUT. Any thread; reads the variable once.
#pragma once

#include <chrono>
#include <optional>

namespace prism::runtime {

/// Empty when PRISM_TIMEOUT is unset, zero or not a number.
std::optional<std::chrono::nanoseconds> wait_limit();

} // namespace prism::runtime
