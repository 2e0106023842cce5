// Rewrites of the function that are easier in LLVM's form than in SPIR-V's: before control flow is
// structured.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler::spirv {

/// Atomics that SPIR-V lacks become compare-exchange loops; atomics on private memory become plain accesses;
/// switch becomes branches.
void simplify(llvm::Function& kernel);

} // namespace prism::compiler::spirv
