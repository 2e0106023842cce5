// Child processes and their cost.
#pragma once

#include "bench/measure.hpp"

#include <string>
#include <vector>

namespace bench {

/// Runs a command to its end; returns wall time, and the processor time of the child and its children.
/// `environment`: NAME=VALUE, added to this process's. Throws std::runtime_error if the command cannot start
/// or does not exit with 0; drops its output.
times run_child(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
/// The same, but returns its standard output.
std::string output_of_child(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment = {});

/// The environment of compilations whose time is compared with clang++'s, which has no cache of headers.
inline const std::vector<std::string> headers_as_text{"PRISM_CACHE=off"};

} // namespace bench
