// Values that a work-item accumulates in the memory of its group during a loop: `local[id] += in[i]`.
//
// Reductions write each partial sum to the work-item's place in local memory. Such stores, whose distance
// between work-items is often not known, prevent the loop over work-items from being vectorised.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Keeps such a value in a register during the loop and stores it behind the loop, also if no iteration
/// stores. The work-item must have stored to the place before the loop, after the last synchronization point:
/// another work-item's access between the two stores would be a race. The function must be in the form that
/// loop-simplify leaves. Returns whether it changed.
bool keep_local_sums(llvm::Function& kernel);

} // namespace prism::compiler
