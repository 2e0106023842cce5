// Numbers from environment variables. If the text is not a valid number, logs a warning and uses the default.
// Separate from environment.hpp, which the log itself reads.
#pragma once

#include "runtime/support/environment.hpp"

namespace prism::support {

/// The variable's size. If it is not a valid size, logs a warning and returns the default.
unsigned long long size_of(const variable& v);
/// The same for seconds; an empty default means zero.
std::chrono::seconds seconds_of(const variable& v);

} // namespace prism::support
