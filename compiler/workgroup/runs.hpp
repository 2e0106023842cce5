// Loops over work-items that mask, flip or set bits of the id, run in runs of neighbours.
//
// Transforms, sorting networks and the like find their partners by `id & -m`, `id & (m - 1)` or `id ^ m` with
// an m that all work-items share. LLVM sees no neighbours there, though in each aligned run of m work-items
// such a value is the same for all or counts up by one. Where m turns out to be large enough (or 4) and to
// divide the group, the loop runs run by run, and its inner loop is one that becomes vectors; else it runs as
// it was.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// The loops are in the form that loop-simplify and lcssa give. Whether any changed.
bool split_runs(llvm::Function& group);

} // namespace prism::compiler
