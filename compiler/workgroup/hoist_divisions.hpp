// Divisions that do not change in a loop are computed before it, also where only some iterations or
// work-items reach them. LLVM leaves such divisions in the loop, because a divisor of 0 would stop the
// program: in `if (lid < n) { row = lid / width; ... }` in a loop over tiles each work-item divided again in
// each iteration.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Makes it a division that never stops the program, for places where the program does not divide. The result
/// is the same wherever it had one.
void divide_for_all(llvm::Instruction& division);

/// Loops must be in LLVM's simple form. Returns whether anything changed.
bool hoist_divisions(llvm::Function& function);

} // namespace prism::compiler
