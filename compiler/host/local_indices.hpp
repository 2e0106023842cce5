// Widens indices into a group's own memory to 64 bits, so that LLVM sees which work-items access adjacent
// elements.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// In a loop over work-items, `memory[u + c * lane]`, with the sum in 32 bits, becomes `memory[sext(u) + c *
/// lane]`, if the memory is the group's local memory or a context array. A 32-bit sum may wrap, and LLVM can
/// only vectorise accesses whose distance it knows. Both sums agree for every access that is made: these
/// memories have fewer than 2^31 elements, so an index for which the sums differ is outside of them. Returns
/// false if nothing changed.
bool widen_local_indices(llvm::Function& group);

} // namespace prism::compiler
