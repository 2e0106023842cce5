// Loops turned inside out: where all work-items may take a loop's rounds together, the rounds become the
// outer loop and the work-items the inner one, which neighbouring accesses and vectors need.
//
// Strided loops of kernels (`for (i = global_id; i < n; i += global_size)`) are the case that matters: run
// work-item by work-item each access is a page further on. A call of `round_name` in the loop, given whether
// this work-item still runs, answers whether any or all do; it is a cut (cuts.hpp). Work-items that are done
// wait for the others.
#pragma once

#include "compiler/device_ir/uniform.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Cuts innermost loops that the group reaches together, without calls, atomics or cuts, in which work-items
/// that are neighbours in x access neighbouring memory, unless a work-item also finds memory of its own from
/// round to round in one cache line. For kernels without sub-group operations. The function is in LCSSA form.
/// Whether there was such a loop.
bool cut_loops(llvm::Function& kernel);

} // namespace prism::compiler
