// Is this kernel device code at all? Judged after inlining, so that only code which could run counts.
#pragma once

#include "compiler/support/diagnose.hpp"

namespace prism::compiler {

/// Reports everything that SYCL forbids in `kernel`: recursion, virtual and indirect calls, exceptions,
/// allocation, host library calls, mutable globals, thread-local and static variables, inline assembly,
/// computed goto. Returns true when there was nothing.
bool check_device_code(llvm::Function& kernel, reporter& report);

} // namespace prism::compiler
