// Splits a loop in two: first the iterations that all work-items of the group execute, without a check per
// work-item, then the rest.
//
// Work-items that count from adjacent starts, by one step, up to one bound, differ only in their last
// iteration. The number of iterations that all of them execute is known before the first. The new loop
// therefore does not check whether each work-item continues. It executes several iterations at once, so that
// the values that a work-item passes from one iteration to the next are loaded and stored less often.
#pragma once

#include "compiler/device_ir/uniform.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// A loop in the form that LLVM's loop rotation leaves: the test is at the end, there is one exit, and a
/// guard in front if work-items may skip the loop.
struct group_loop {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock *preheader = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr;
  llvm::BranchInst* guard = nullptr; // to the preheader or past the loop
  struct counter {                   // phi + step in each iteration; all work-items have the same step
    llvm::PHINode* phi;
    llvm::Value* step;
  };
  llvm::SmallVector<counter> counters;
};

/// Splits the common iterations off a guarded loop whose preheader may execute for all work-items. `loop` is
/// then the remaining loop, with a new guard. All iterations of a loop without a guard are common; then the
/// multiple of four (or two) is split off. Returns the header of the new loop. Returns null and leaves the
/// loop unchanged if the number of iterations cannot be computed, or if splitting gains nothing.
llvm::BasicBlock* split_common_iterations(group_loop& loop, llvm::ScalarEvolution& evolution,
                                          const uniform_values& uniform);

} // namespace prism::compiler
