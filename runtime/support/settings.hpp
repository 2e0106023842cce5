// Numbers from environment variables. A text that is no such number is reported in the log, and the default
// counts. Apart from environment.hpp, which the log itself reads.
#pragma once

#include "runtime/support/environment.hpp"

namespace prism::support {

/// The size a variable names; of one that is none, says so in the log and gives the default.
unsigned long long size_of(const variable& v);
/// Likewise seconds; an empty default is zero.
std::chrono::seconds seconds_of(const variable& v);

} // namespace prism::support
