// Strip-mines loops over work-items that mask, flip or set bits of the id.
//
// Transforms, sorting networks and similar algorithms find their partners by `id & -m`, `id & (m - 1)` or `id
// ^ m` with an m that is the same for all work-items. LLVM does not see that these are adjacent, although in
// each aligned strip of m work-items such a value is constant or counts up by one. If m turns out at run time
// to be large enough (or 4), and to divide the group's size, the loop executes strip by strip, with an inner
// loop that can be vectorised. Otherwise the original loop executes.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// The loops must be in loop-simplify and LCSSA form. Returns whether any changed.
bool strip_mine(llvm::Function& group);

} // namespace prism::compiler
