// What a command group is called and the line of the program that it is of, for ledgers, traces, reports and
// errors. Any thread; a string each time, so only where somebody asked for one of those. File names are
// constants of the program's modules: read at submission, while the module that submits is there, or at a run
// of a graph, whose modules must be there as its kernels must.
#pragma once

#include "runtime/engine/engine.hpp"

namespace prism::runtime {

/// "app.cpp:12"; empty when it is not known. The call's, else that of the kernel's lambda.
std::string line_of(const command_group& group);
/// "copy 64 B", or the kernel's name: what traces and reports call the command.
std::string label_of(const request& what);

} // namespace prism::runtime
