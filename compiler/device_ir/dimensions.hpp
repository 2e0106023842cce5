// The number of dimensions of a kernel's launches, and queries of sizes and ids.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Reads the number of dimensions that the kernel states (__prism_dimensions) and removes the statement. In
/// the remaining dimensions, sizes become 1 and ids become 0. `kernel` must be inlined.
void resolve_dimensions(llvm::Function& kernel);
/// The number of dimensions that the kernel's launches may use.
unsigned used_dimensions(const llvm::Function& kernel);
/// States one less than that. The kernel must not query the last of them.
void lose_dimension(llvm::Function& kernel);
/// Replaces each query with a variable dimension by a choice between queries with constant ones.
void choose_dimensions(llvm::Function& kernel);

} // namespace prism::compiler
