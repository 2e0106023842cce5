// Kernel attributes. front/clang/attributes.cpp turned them into calls of reserved functions at the start of
// a kernel's body.
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "compiler/support/diagnose.hpp"

namespace prism::compiler {

/// Moves the attributes of an inlined kernel, and of all functions that it calls, into `facts`, and removes
/// the calls. Reports attributes that are not constant, out of range or contradictory.
void take_attributes(llvm::Function& kernel, kernel_facts& facts, reporter& report);

/// Removes the calls from host code, where they have no effect.
void erase_attributes(llvm::Module& host);

} // namespace prism::compiler
