// Checks that a kernel is valid device code. Runs after inlining, so that only code that can execute counts.
#pragma once

#include "compiler/support/diagnose.hpp"

namespace prism::compiler {

/// Reports everything that SYCL forbids in `kernel`: recursion, virtual and indirect calls, exceptions,
/// allocation, calls of host libraries, mutable globals, thread-local and static variables, inline assembly,
/// computed goto. Returns true if it found nothing.
bool check_device_code(llvm::Function& kernel, reporter& report);

} // namespace prism::compiler
