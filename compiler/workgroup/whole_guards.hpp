// Range guards (`if (i < n)`): a group whose work-items all pass executes without a check per work-item.
//
// The guard around a kernel's body fails only in the last group. The first and the last work-item of a group
// show whether all pass. A guard that compares a global id with a uniform value (below, above, not equal)
// therefore becomes `the whole group passes or this work-item does`. If that is the first part of a
// condition, LLVM splits the loop over work-items in two, here and in CPU drivers, and vectorises the one
// that nearly always executes. A body with loops or barriers is copied instead, because loop interchange
// (loop_interchange.hpp) requires that the whole group reaches the loop.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Metadata at the ends of blocks that execute only if some work-items of the group do not pass a guard. Few
/// groups do, so such loops are not worth further copies.
inline constexpr const char* some_pass_name = "prism.some_pass";

/// Reads captured values at the kernel's start, so that code can be moved in front of every branch.
void read_captured_first(llvm::Function& kernel);

/// What becomes of a guard besides the question of the group.
enum class guard_form : unsigned char {
  asked,   // no more
  copied,  // bodies with loops or barriers may be copied
  optional // the question is a call of `asks_group_name`: the build options of OpenCL C may leave it out
};

/// Entry tests of strided loops stay unchanged. Returns whether anything changed.
bool widen_guards(llvm::Function& kernel, guard_form form);

/// Guards in loops whose iterations the work-items execute together (after loop_interchange.hpp): the group
/// tests them once in each iteration.
void widen_iteration_guards(llvm::Function& kernel);

} // namespace prism::compiler
