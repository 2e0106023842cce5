// Where the paths of a divergent branch meet, and what differs between work-items for that reason.
//
// LLVM's uniformity analysis stops too early when it searches the blocks in which the two sides of a branch
// meet: it misses phis behind sides of several blocks (llvm-project issue 137277, corrected in LLVM 21), and
// phis of a loop's exit (pull request 216296). Here the search ends at the branch's immediate post-dominator.
// It adds to what LLVM found.
//
// K. Rosemann, S. Moll, S. Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow
// Graphs", POPL 2021.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// What differs between work-items in addition to what is known.
struct more_divergence {
  llvm::DenseSet<const llvm::Value*> values;
  llvm::DenseSet<const llvm::Value*> behind_loops;  // the same in each iteration, but not for uses behind it
  llvm::DenseSet<const llvm::BasicBlock*> branches; // blocks that end in a divergent branch
  /// Of each divergent branch, known or found: where two of its paths meet, by the branch's block.
  llvm::DenseMap<const llvm::BasicBlock*, llvm::SmallVector<const llvm::BasicBlock*, 2>> meetings;
};

struct known_divergence {
  llvm::function_ref<bool(const llvm::Value&)> of_value;
  llvm::function_ref<bool(const llvm::BasicBlock&)> of_branch;
  /// Values that are the same for all work-items although their operands differ.
  llvm::function_ref<bool(const llvm::Value&)> is_always_uniform;
};

more_divergence find_more_divergence(const llvm::Function& kernel, const llvm::CycleInfo& cycles,
                                     const known_divergence& known);

} // namespace prism::compiler
