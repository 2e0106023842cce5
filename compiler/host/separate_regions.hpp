// Work-group functions of many regions: the loop over work-items of each region in a function of its own.
//
// LLVM's loop passes and its register allocator take more than linear time for a function of many loops: for
// each loop, scalar evolution looks at the conditions of all loops in front of it. Work-items exchange values
// between regions through memory anyway, so a function for each region costs a call and no more memory.
#pragma once

#include <vector>

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// More loops over work-items than this are many. Those of usual kernels are fewer than ten.
inline constexpr unsigned many_lane_loops = 48;

/// Attribute of the functions that separate_regions makes.
inline constexpr const char* separate_region = "prism-separate-region";

/// Attribute of a pointer parameter: it points into memory on the caller's stack, which all work-items share.
inline constexpr const char* on_callers_stack = "prism-on-callers-stack";

/// Moves the loops over work-items (workgroup/lanes.hpp) of `group`, a function of (closure, context), to
/// internal functions of (closure, context, ...) if there are more than `many_lane_loops`. Values that follow
/// from closure and context at low cost are computed again there. Needs loops in simplified form. Returns the
/// functions that it made. Cost: linear in the size of the function, times the number of its loops for the
/// walk over its stack variables.
std::vector<llvm::Function*> separate_regions(llvm::Function& group);

} // namespace prism::compiler
