// Loops over tiles or blocks that are strided by the number of groups
// (`for (tile = group_id; tile < tiles; tile += groups)`).
//
// Programs launch as many groups as there are tiles, unless that is more than a device may have. Then each
// such loop executes once. This is known before the loop: its start, its step and its bound are the same for
// the whole group. So the loop has a copy without a jump back, for groups that execute it once. In the copy,
// work-items of a group access adjacent memory in the same statement, and LLVM vectorises the loop over
// work-items.
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether the loop's counter has a step that grows with the number of groups.
bool is_strided_by_groups(const llvm::Loop& loop);

/// Copies the outermost of such loops together with the loops in it. Loops with convergent calls, loops that
/// some work-items of a group do not reach, and loops with a version (inner_once.hpp) remain unchanged. The
/// function must be in the form that loop-simplify and lcssa leave. Returns whether it changed.
bool copy_single_iterations(llvm::Function& kernel);

/// 32-bit sums of a uniform value and local ids, such as `int i = tile * width + local id`, wrap around in no
/// group or in one. In the copies of loops their 64-bit values become a uniform value plus the local ids, so
/// that LLVM sees that adjacent work-items access adjacent memory. Groups in which a sum wraps around execute
/// the loop.
void order_ids(llvm::Function& kernel);

} // namespace prism::compiler
