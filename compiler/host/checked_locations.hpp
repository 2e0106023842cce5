// Source locations for the errors that host code reports by itself: wrong indices of host_accessor, and of
// accessors in host tasks.
#pragma once

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Inserts a call of __prism_at before each call in the user's code that checks an index. Must run after
/// kernels were cloned: kernels report their locations in another way.
void insert_checked_locations(llvm::Module& host);

} // namespace prism::compiler
