// Loops under drivers whose vectors of work-items have lanes without one.
//
// Where a row of a work-group (dimension 0) does not fill the last vector, llvmpipe masks what the lanes left
// over write but lets them loop on with what they read, which is zero: the vector takes part in more barriers
// than the others, and may spend the driver's limit of iterations. A condition at the kernel's start that
// only work-items meet stops that.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler::spirv {

/// Puts all of a kernel that has loops behind `is_present_name`.
void keep_absent_items_out(llvm::Function& kernel);

/// i1 (): whether the lane has a work-item, where specialisation constant 6 makes it matter; true elsewhere.
inline constexpr const char* is_present_name = "__prism_is_present";

} // namespace prism::compiler::spirv
