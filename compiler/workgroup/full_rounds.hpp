// The rounds of a loop that every work-item of the group takes, split off into a loop of their own in front
// of it.
//
// Work-items that count from neighbouring starts by one step up to one bound differ in their last round only.
// How many rounds all of them take is known before the first: the split-off loop then asks no work-item
// whether it still runs, and takes some rounds at once, so that what a work-item keeps from round to round is
// loaded and stored less often.
#pragma once

#include "compiler/device_ir/uniform.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// A loop in the form that LLVM's rotation leaves: the test at the end, one way out, and where work-items may
/// pass it by, a guard in front.
struct group_loop {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock *preheader = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr;
  llvm::BranchInst* guard = nullptr; // to the preheader or past the loop
  struct counter {                   // phi + step in each round, the step the same for all work-items
    llvm::PHINode* phi;
    llvm::Value* step;
  };
  llvm::SmallVector<counter> counters;
};

/// Splits the full rounds off a guarded loop whose preheader may run for all; `loop` then is what is left,
/// with a new guard. Of a loop without a guard all rounds are full; those that come in fours (or twos) are
/// split off. The header of the new loop, or null, and the loop as it was, where their number cannot be told
/// or nothing is won.
llvm::BasicBlock* split_full_rounds(group_loop& loop, llvm::ScalarEvolution& evolution,
                                    const uniform_values& uniform);

} // namespace prism::compiler
