// Ends loops over work-items behind the last one that does something.
//
// `if (lid == 0) total = sum(local)`: only the first work-item does something, so the loop ends after it. A
// reduction by reduce_over_group with groups of 256 spent half of its time on asking the others.
//
// Hand-written sums over a work-group contain `int k = 2 * s * lid; if (k < size) local[k] += local[k + s];`
// with an s that doubles. For most values of s few work-items pass the guard, and these are the first of the
// group. If the loop contains nothing else, it can end at the first work-item that does not pass. A run-time
// check before the loop makes sure that no product wraps around.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Guards whose k is constant stay as they are, because LLVM makes vectors of such loops. The loops must be
/// in loop-simplify form. Returns whether any changed.
bool end_at_last_passing(llvm::Function& group);

} // namespace prism::compiler
