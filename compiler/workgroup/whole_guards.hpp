// `if (i < n)`: groups whose work-items all pass run without asking each.
//
// The guard around a kernel's body fails in the last group only. Whether all work-items of a group pass is
// known from its first and its last, so a guard of a global id against something that all share (below,
// above, not equal) becomes `whole group passes or this work-item does`. Where that is the first part of a
// condition, LLVM makes two loops over work-items of one, here and in CPU drivers, and the one that nearly
// always runs becomes vectors. A body with loops or barriers is copied instead: loops are turned inside out
// (loop_cuts.hpp) only where the group reaches them together.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Metadata at the ends of blocks that only groups reach of which some work-items may not pass a guard: few
/// groups, so such loops are not worth further copies.
inline constexpr const char* some_pass_name = "prism.some_pass";

/// `copies`: bodies with loops or barriers may be copied. Entry tests of strided loops are left alone.
/// Whether anything changed.
bool widen_guards(llvm::Function& kernel, bool copies);

/// The guards in loops whose rounds the work-items take together (after loop_cuts.hpp): asked once for the
/// group in each round.
void widen_round_guards(llvm::Function& kernel);

} // namespace prism::compiler
