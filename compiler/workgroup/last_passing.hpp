// Ends loops over work-items behind the last one that passes a guard `k * lid < n`.
//
// Sums by hand write `int k = 2 * s * lid; if (k < size) local[k] += local[k + s];` with an s that doubles.
// At most levels few work-items pass, and these are the first of the group. If nothing else is in the loop,
// then the first work-item that does not pass is the last that the loop needs to ask. A run-time check in
// front of the loop makes sure that no product wraps around.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Guards whose k is constant stay as they are, because LLVM makes vectors of such loops. The loops must be
/// in loop-simplify form. Returns whether any changed.
bool end_at_last_passing(llvm::Function& group);

} // namespace prism::compiler
