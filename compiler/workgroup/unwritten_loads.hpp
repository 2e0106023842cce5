// Loads from global memory at addresses that are the same for all work-items, which no access of the kernel
// writes: the members of a structure to which a kernel has a pointer, and what these point to. They are like
// captured values: the same for all work-items, and the same before and after a barrier.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Marks the loads as invariant. A write of another kernel or of the host at the same time would be a race.
void mark_unwritten_loads(llvm::Function& kernel);

/// Moves these loads from in front of innermost loops into them. In front of a loop that some work-items skip
/// they could not be executed for all, because nothing shows that the address is valid.
void sink_unwritten_loads(llvm::Function& kernel);

} // namespace prism::compiler
