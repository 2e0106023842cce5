// PRISM_TIMEOUT: waits that last longer end with an error that says what they waited for. Any thread.
#pragma once

#include <chrono>
#include <optional>

namespace prism::runtime {

/// None when the variable is unset, zero or not a number.
std::optional<std::chrono::nanoseconds> wait_limit();
/// Commands get labels from now on, for these errors. Once, by the root.
void label_what_is_waited_for();

} // namespace prism::runtime
