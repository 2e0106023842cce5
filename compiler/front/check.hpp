// Checks that a kernel is valid device code. Runs after inlining, so that only code that can execute counts.
#pragma once

#include "compiler/support/diagnose.hpp"
#include "compiler/support/refusal.hpp"

namespace prism::compiler {

/// Reports everything that SYCL forbids in `kernel`: recursion, virtual and indirect calls, exceptions,
/// allocation, calls of host libraries, mutable globals, thread-local and static variables, inline assembly,
/// computed goto. Returns true if it found nothing.
bool check_device_code(llvm::Function& kernel, reporter& report);

/// Why no device can run a kernel with a loop that never ends; empty if there is none. No error, because
/// programs have such instances of templates, which they never launch.
refusal endless_loop_in(const llvm::Function& kernel);

} // namespace prism::compiler
