// Places in the source for what host code reports itself: checked indices of host_accessor, and of accessors
// in host tasks.
#pragma once

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Puts a call of __prism_at before each call of the user's that checks an index. After kernels were cloned,
/// which know their places otherwise.
void name_checked_places(llvm::Module& host);

} // namespace prism::compiler
