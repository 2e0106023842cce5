// Operations of a sub-group that some of its work-items do not reach: they have ended a loop earlier,
// returned, or taken the other side of a branch. The operation then waits for those that do, as on a GPU,
// whose hardware masks the others.
//
// Two things make that well-defined. The others wait where the paths meet: behind the loop or the branch. And
// of the points where work-items of a sub-group wait, the first in the kernel's order continues first, where
// the blocks of a loop are adjacent. So all iterations of a loop end before the code behind it begins, and
// the work-items that are in a loop are in the same iteration, which is what uniform.hpp takes for granted.
//
// The order is that of thread frontiers: G. Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO
// 2011.
#pragma once

#include "compiler/device_ir/uniform.hpp"
#include "compiler/workgroup/sync_points.hpp"

namespace prism::compiler {

/// Adds a point where the paths of a branch meet that some work-items of a sub-group take while the others
/// reach a point of the sub-group. Changes blocks. Adds none to irreducible control flow, where iterations
/// are not defined.
void add_meetings(llvm::Function& kernel, std::vector<sync_point>& points);

/// Orders the points if there is such a branch, and marks those that may be `partial`. `uniform`: in the
/// sub-group.
void order_partial_points(llvm::Function& kernel, std::vector<sync_point>& points,
                          const uniform_values& uniform);

} // namespace prism::compiler
