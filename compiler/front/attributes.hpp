// Kernel attributes, which front/clang/attributes.cpp made calls of reserved functions at the begin of a
// body.
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "compiler/support/diagnose.hpp"

namespace prism::compiler {

/// Puts the attributes of an inlined kernel and of all it calls into `facts` and removes the calls.
/// Attributes that are no constants, out of range or contradict each other are reported.
void take_attributes(llvm::Function& kernel, kernel_facts& facts, reporter& report);

/// Removes the calls from host code, for which they mean nothing.
void erase_attributes(llvm::Module& host);

} // namespace prism::compiler
