// Unroll and jam of loops over work-items around loops that all work-items execute equally often.
//
// A work-item that sums a row of a matrix, or the distance of a point, has a loop of its own in which each
// addition waits for the one before it. LLVM vectorises neither that loop, whose order of additions is
// fixed, nor the loop over work-items around it. Here the inner loop executes for several work-items at
// once: their sums wait for nothing but themselves. Each work-item computes what it did, in the same order.
//
// Source: Callahan, Carr, Kennedy, "Improving register allocation for subscripted variables", 1990.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Transforms the loops over work-items (workgroup/lanes.hpp) that have such inner loops. What remains of a
/// loop's work-items, and those of whom only some reach the inner loop, execute one by one as before. Loops
/// must be rotated, as before LLVM's vectoriser. Returns whether it changed the function.
bool jam_lanes(llvm::Function& function);

} // namespace prism::compiler
