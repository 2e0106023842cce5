// Informs LLVM's vectoriser that the work-items of a region do not access each other's memory.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Marks the accesses of loops over work-items (workgroup/lanes.hpp) as parallel: between two barriers, no
/// other work-item accesses what one work-item writes, or the kernel has a data race. Accesses to private
/// arrays, which all iterations share, stay unmarked. Loops that are marked already stay unchanged. So do
/// loops in which LLVM, once it assumes parallel iterations, would reorder accesses of one work-item to the
/// same memory. Cost: scalar evolution, and the square of a loop's strided accesses.
void mark_parallel_loops(llvm::Function& group);

} // namespace prism::compiler
