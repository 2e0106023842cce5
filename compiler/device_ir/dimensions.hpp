// What a kernel says of its dimensions (__prism_dimensions), and queries of sizes and ids.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// takes what the kernel says of its dimensions (__prism_dimensions); sizes and ids of the others become
/// 1 and 0. `kernel` is inlined.
void settle_dimensions(llvm::Function& kernel);
/// how many dimensions its launches may use.
unsigned used_dimensions(const llvm::Function& kernel);
/// queries with a variable dimension become a choice between constant ones.
void choose_dimensions(llvm::Function& kernel);

} // namespace prism::compiler
