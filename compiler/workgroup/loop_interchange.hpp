// Loop interchange: if all work-items may execute a loop's iterations together, the loop becomes the outer
// one and the loop over work-items the inner one. Adjacent accesses and vectorisation need that.
//
// The most important case are strided loops of kernels (`for (i = global_id; i < n; i += global_size)`):
// executed work-item by work-item, each access is a page after the previous one. A call of `group_any_name`
// in the loop takes whether this work-item continues, and returns whether any or all do. It is a
// synchronization point (sync_points.hpp). Work-items that have finished wait for the others.
#pragma once

#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Interchanges innermost loops that the whole group reaches, without calls, atomics or synchronization
/// points, if work-items that are adjacent in x access adjacent memory. Exception: loops in which a
/// work-item's own accesses stay in one cache line in successive iterations, unless they call functions with
/// vector_function_mark. In kernels whose sub-groups
/// synchronise, each sub-group executes the iterations by itself. Counters must be narrow
/// (narrow_counters.hpp), and the function in LCSSA form. Returns whether it changed a loop.
bool interchange_loops(llvm::Function& kernel);

/// Whether interchange_loops() would turn the loop if each loop in it executed once. The loop must be one
/// whose iterations all work-items execute.
bool would_interchange(llvm::Function& kernel, loop_facts& facts, const uniform_values& uniform,
                       llvm::Loop& loop);

} // namespace prism::compiler
