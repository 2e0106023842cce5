// The name of a kernel in errors, traces and build messages. It is the name that the program gave. A lambda
// without a name gets the name of the function that contains it, with file and line: "main (program.cpp:12)".
// The compiler's numbers for lambdas never appear.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// `type`: the demangled type that names the kernel. `entry`: the function that calls the kernel's body; its
/// debug locations give the body's location.
std::string kernel_label(llvm::StringRef type, const llvm::Function& entry);

} // namespace prism::compiler
