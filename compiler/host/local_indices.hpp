// Indices into a group's own memory in 64 bits, so that LLVM sees which work-items access neighbouring
// places.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// `memory[u + c * lane]`, added up in 32 bits, in a loop over work-items becomes `memory[sext(u) + c *
/// lane]` where the memory is the group's local memory or what is kept of its work-items. In 32 bits the sum
/// may wrap, and LLVM can make a vector only of accesses whose distance it knows. Both sums agree for every
/// access that is made: these memories have less than 2^31 elements, so one of the two that wraps is outside
/// of them. False when nothing changed.
bool widen_local_indices(llvm::Function& group);

} // namespace prism::compiler
