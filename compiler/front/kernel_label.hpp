// What a kernel is called in errors, traces and build messages: the name that the program gave it, or, of a
// lambda without one, the function that it stands in with its file and line, as "main (program.cpp:12)".
// Never the compiler's numbers for lambdas.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// `type`: the demangled type that names the kernel. `entry`: the function that calls the kernel's body; its
/// debug locations say where that is.
std::string kernel_label(llvm::StringRef type, const llvm::Function& entry);

} // namespace prism::compiler
