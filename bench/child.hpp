// Child processes and their cost.
#pragma once

#include "bench/measure.hpp"

#include <string>
#include <vector>

namespace bench {

/// Runs to the end; wall time, and the processor time of the child and its children. `environment`:
/// NAME=VALUE, added to this process's. Throws std::runtime_error when it cannot start or does not exit with
/// 0; its output goes nowhere.
times run_child(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
/// The same; what it printed on standard output.
std::string output_of_child(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment = {});

} // namespace bench
