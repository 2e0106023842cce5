// Tells LLVM's vectoriser that the work-items of a region do not touch each other's memory.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Marks the accesses of loops over work-items (workgroup/lanes.hpp) as parallel: between two barriers, what
/// one work-item writes no other touches, or the kernel has a data race. Accesses to private arrays, which
/// all iterations share, stay unmarked, and so do loops where LLVM, once it believes in parallel iterations,
/// would reorder accesses of one work-item to the same memory, and those marked already. Cost: scalar
/// evolution, and the square of a loop's strided accesses.
void mark_parallel_loops(llvm::Function& group);

} // namespace prism::compiler
