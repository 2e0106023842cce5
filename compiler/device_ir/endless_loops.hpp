// Loops that work-items cannot leave.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Blocks from which no end of the kernel can be reached.
llvm::SmallVector<const llvm::BasicBlock*> endless_blocks(const llvm::Function& kernel);

/// For a kernel whose source has no endless loop. LLVM makes one where a step that is known at run time may
/// be 0: `for (k = id; k < 1; k += step)`. C++ lets an implementation assume that such a loop ends
/// ([intro.progress]), so no work-item enters it. Returns whether there was one. A kernel that does nothing
/// else stays as it is.
bool drop_endless_loops(llvm::Function& kernel);

} // namespace prism::compiler
