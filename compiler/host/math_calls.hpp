// Calls of math functions in kernels that run as native code, in forms that LLVM can vectorise.
//
// Clang compiles host code for programs that read errno, so that a square root is a call for negative numbers
// and `ldexp` always is one. Kernels do not read errno.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether processors have an instruction with exactly this function's result.
bool is_exact_instruction(llvm::StringRef libm);

/// Functions with exact results become intrinsics, and `ldexp` and its variants three products, which round
/// once. All other math functions set no errno.
void free_math_calls(llvm::Function& function);

} // namespace prism::compiler
