// Moves a store that only the first work-item of a sub-group executes after the earlier stores of the others.
//
//   results[lane] = value;                  // every work-item
//   if (lane == 0) results[last] = total;   // the leader; the last work-item wrote this element before
//
// SYCL promises no order here without a barrier. Sub-groups that are vectors of a processor have it, so
// programs rely on it without knowing (oneDPL's scans do). A loop over work-items would run the leader's
// branch before its neighbours' writes.
#pragma once

#include <vector>

#include "compiler/workgroup/sync_points.hpp"

namespace prism::compiler {

/// Adds a synchronization point of the sub-group in front of each such branch that the whole sub-group is
/// known to reach, if the branch and the code since the last point access memory of the same origin and one
/// of them writes it. Branches without such accesses cost nothing. Changes blocks. For kernels that have a
/// synchronization point of the sub-group already.
void order_leaders(llvm::Function& kernel, std::vector<sync_point>& points);

} // namespace prism::compiler
