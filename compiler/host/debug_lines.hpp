// Gives work-group functions the source lines of their kernels, for sanitizers, profilers and debuggers, in
// programs compiled with -g. Variables get no debug information, because their values are in loops over
// work-items and in vectors. Programs compiled with -O0 run the kernel's body instead (image::for_debugger).
#pragma once

#include <memory>

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// As llvm::CloneModule, but the copy's locations belong to the same compile units and functions: it comes
/// back to the module from which its kernel was extracted.
std::unique_ptr<llvm::Module> clone_with_lines(const llvm::Module& module);

/// Whether the program is compiled with debug information.
bool has_lines(const llvm::Module& host);

/// Gives a work-group function, which has its kernel's description, one of its own in which the kernel's
/// lines lie.
void describe_lines(llvm::Function& group, llvm::StringRef name);

} // namespace prism::compiler
