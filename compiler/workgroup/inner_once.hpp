// Loops over tiles with loops in them that execute once (`for (t = tile; t < tiles; t += step)`, where the
// step is not less than the number of tiles).
//
// Libraries write loops over tiles in several dimensions for any number of groups, and launch, or count, as
// many as there are. Whether an inner loop executes once in each iteration of the outer one is then known
// before the outer loop: the inner step is at least the inner bound. The outer loop has a copy for that case,
// in which the inner loops have no jump back. The copy is innermost, so that it can be interchanged with the
// loop over work-items (loop_interchange.hpp).
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether a loop has only such loops in it, as far as is seen without an analysis.
bool may_have_inner_once(llvm::Function& kernel);

/// Copies such loops, if the loop interchange would turn the copy. The counters must be narrow
/// (narrow_counters.hpp), and the function in the form that loop-simplify and lcssa leave. Returns whether it
/// changed.
bool copy_inner_once(llvm::Function& kernel);

/// Whether the loop is such a copy, or was copied.
bool has_inner_once(const llvm::Loop& loop);

} // namespace prism::compiler
