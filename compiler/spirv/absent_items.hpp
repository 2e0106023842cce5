// Loops on drivers whose vectors of work-items have lanes without a work-item.
//
// If a row of a work-group (dimension 0) does not fill the last vector, llvmpipe masks the writes of the
// unused lanes, but they continue to loop, with reads that return zero. The vector then takes part in more
// barriers than the others, and may reach the driver's limit of iterations. A condition at the kernel's start
// that only work-items meet prevents that.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler::spirv {

/// Puts all code of a kernel with loops behind `is_present_name`.
void keep_absent_items_out(llvm::Function& kernel);

/// i1 (): whether the lane has a work-item, on devices where specialisation constant 6 enables the test; true
/// on others.
inline constexpr const char* is_present_name = "__prism_is_present";

} // namespace prism::compiler::spirv
