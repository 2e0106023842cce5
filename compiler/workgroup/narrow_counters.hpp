// Restores loop counters to the width that they have in the source.
//
// LLVM's instcombine writes `int k; k += get_global_range(0)` with a phi of 64 bits of which each iteration
// uses the low 32: a phi of truncated values becomes the truncation of a phi. Scalar evolution does not
// recognise that as a counter. This pass moves the truncation back in front of the phi. Another run of
// instcombine undoes it.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// 64-bit phis of which only the low 32 bits are used become 32-bit phis. Returns whether it changed any.
bool narrow_counters(llvm::Function& kernel);

} // namespace prism::compiler
