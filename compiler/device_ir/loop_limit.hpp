// Kernels whose loops a driver may end early: llvmpipe ends all loops of a work-item after 65,535 iterations
// in total, and reports nothing.
//
// The driver counts iterations in a counter of its own, over all lanes of a vector, so a kernel cannot count
// along. But a kernel can detect that the limit was reached: a loop of two iterations at its end then
// executes only one. The check therefore costs nothing while the kernel runs. It also reports a work-item
// that used all but the last two iterations, although its results are complete.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// True if nothing proves that a work-item takes few iterations. Every block of a loop counts as an
/// iteration, because drivers turn jumps that they cannot express into loops. Cost: LLVM's loop analyses,
/// once.
bool may_loop_long(llvm::Function& kernel);

/// Makes every exit of `kernel` run the loop described above, and store 1 to the word that `fault_name` names
/// if that loop was ended early. All of this code is guarded by `checks_loops_name`.
void report_spent_loops(llvm::Function& kernel);

inline constexpr const char* checks_loops_name =
    "__prism_checks_loops";                                // i1 (): whether the driver has the limit
inline constexpr const char* fault_name = "__prism_fault"; // i64 (): the word's address

} // namespace prism::compiler
