// Runs another program from prism++.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

/// Runs the command in `folder` (empty: this one), without output if it is `quiet`, and waits for it. Returns
/// its exit status, 128 and the signal's number if a signal ended it, 127 if it cannot be started. Throws
/// std::runtime_error if the system refuses a process.
int run_and_wait(std::vector<std::string> command, const std::string& folder = "", bool quiet = false);

} // namespace prism::driver
