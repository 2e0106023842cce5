// Kernels that some drivers may cut short: llvmpipe ends all loops of a work-item after 65,535 iterations in
// total, and says nothing.
//
// The limit is a counter of the driver's own, over all lanes of a vector, which a kernel cannot count along
// with. But it can see it spent: a loop at the kernel's end that takes two rounds takes one only. So checking
// costs nothing while the kernel runs. A work-item that used up all but the last two iterations is reported
// too, though its results are whole.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether nothing proves that a work-item takes few iterations. Every block of a loop counts as an iteration
/// of its own, since drivers turn jumps they cannot express into loops. Cost: LLVM's loop analyses, once.
bool may_loop_long(llvm::Function& kernel);

/// Makes every way out of `kernel` run the loop described above and store 1 to the word `fault_name` names
/// when it was cut short; all of it behind `checks_loops_name`.
void report_spent_loops(llvm::Function& kernel);

inline constexpr const char* checks_loops_name =
    "__prism_checks_loops";                                // i1 (): whether the driver has the limit
inline constexpr const char* fault_name = "__prism_fault"; // i64 (): the word's address

} // namespace prism::compiler
