// Finds mistakes in the process's PRISM_ variables: names that do not exist and values that are not
// understood. Such a setting has no effect otherwise, without a message. The runtime logs the result once.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace prism::support {

/// One line for each problem. `settings`: NAME=VALUE, as in `environ`. Checks values that are a few fixed
/// words, and those that many programs never read; all others are checked where they are read.
std::vector<std::string> environment_problems(std::span<const std::string> settings);

/// The same for this process.
std::vector<std::string> environment_problems();

} // namespace prism::support
