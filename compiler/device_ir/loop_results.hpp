// Passes the results of a loop that work-items leave in different iterations through the loop's header.
//
// llvmpipe (Mesa 22.3 and later; lavapipe and rusticl) runs a loop until its last work-item has left it. In
// each iteration it recomputes values that are not phis for all work-items, including those that have left.
// Only phis keep their values, and a phi of the header has its next value from the end of the latch on. A
// result that is used after the loop must therefore be a phi of the header, and the loop must be left from
// its header.
#pragma once

#include "compiler/device_ir/counters.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Changes the loops where that matters. Exits that lead to several blocks are first led to one block. Loops
/// without barriers that are left by one of `tests` are changed too: where such a loop is left from another
/// block, Mesa carries a flag and selects every phi by it. (With barriers, llvmpipe was slower with the
/// changed loop.) Afterwards such a loop is left from a header that has only phis, the branch and perhaps its
/// comparison, which is one of `tests`.
void pass_results_through_headers(llvm::Function& kernel, const early_tests& tests);

} // namespace prism::compiler
