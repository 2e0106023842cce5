// Rewrites that are easier in LLVM IR than in SPIR-V. They run before control flow is structured.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler::spirv {

/// Atomics that SPIR-V lacks become compare-exchange loops; atomics on private memory become plain accesses;
/// switch becomes branches. `float_adds`: additions of floats in global memory stay as they are.
void simplify(llvm::Function& kernel, bool float_adds);

} // namespace prism::compiler::spirv
