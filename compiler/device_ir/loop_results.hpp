// What work-items compute in a loop that they leave at different rounds, and need after it, leaves through
// its header.
//
// llvmpipe (Mesa 22.3 at least; lavapipe and rusticl) runs a loop until its last work-item is done and
// computes values that are no phis anew in each round for all of them, also for those that have left; only
// phis keep theirs. A result that is used after the loop must therefore be a phi of the header, and the
// header the place where the loop is left.
#pragma once

#include "compiler/device_ir/counters.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Changes loops where that matters; ways out that lead to several blocks are led to one first. Loops without
/// barriers that are left by one of `tests` are changed too: Mesa carries a flag and chooses every phi by it
/// where a loop is left elsewhere (with barriers llvmpipe was slower the new way). Afterwards such a loop is
/// left by a header that has nothing but phis, the branch and perhaps its comparison, which is one of
/// `tests`.
void pass_results_through_headers(llvm::Function& kernel, const early_tests& tests);

} // namespace prism::compiler
