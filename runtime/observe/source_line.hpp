// The name of a command group, and with line_of of engine/command_group.hpp its line in the program, for
// transfer logs, traces, reports and errors. Any thread. Each call creates a string, so call only if an
// observer needs it. File names are constants in the program's modules. They are read at submission, or when
// a graph is executed; the modules must be loaded then.
#pragma once

#include "runtime/engine/engine.hpp"

namespace prism::runtime {

/// "copy 64 B" or the kernel's name: the command's name in traces and reports.
std::string label_of(const request& what);

} // namespace prism::runtime
