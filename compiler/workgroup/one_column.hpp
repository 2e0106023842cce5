// A copy of a kernel for work-groups that are one work-item wide: local size (N, 1), as libraries start teams
// of N work-items whose second dimension is the length of a vector, mostly 1. The innermost loop over
// work-items would have one iteration, and an id in a sub-group would cost a division. In the copy the ids
// and sizes of dimension d are those of dimension d + 1 of the launch, so that its loops are those of a
// kernel with a dimension less.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether such launches are likely: the kernel uses no id in dimension 0, or computes with the size of the
/// group there (apart from global and linear ids). It is not worth a copy of each kernel of two dimensions.
bool expects_one_column(const llvm::Function& kernel);
/// Before the group function is formed.
void drop_column(llvm::Function& kernel);
/// In the formed group function: its sizes are those of the launch again.
void ask_launch_sizes(llvm::Function& group);

} // namespace prism::compiler
