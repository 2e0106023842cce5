// Counters and products of loops in as few vector instructions as they need; see counters.cpp. Wants
// loop-simplify form.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace prism::compiler {

/// Comparisons at the end of a loop's body that also hold, asked of a value's start instead of its next one,
/// where the loop is entered: they could as well be asked of that value's phi at the begin of each round.
using early_tests = llvm::SmallDenseMap<const llvm::CmpInst*, const llvm::PHINode*>;

struct cheap_counters_pass : llvm::PassInfoMixin<cheap_counters_pass> {
  explicit cheap_counters_pass(early_tests& found) : m_found(&found) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

private:
  early_tests* m_found;
};

} // namespace prism::compiler
