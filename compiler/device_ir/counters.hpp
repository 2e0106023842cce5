// Rewrites counters and products of loops so that they need few vector instructions; see counters.cpp. The
// loops must be in loop-simplify form.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

namespace prism::compiler {

/// Comparisons at the end of a loop's body that compare a counter's next value. Each of them also holds for
/// the start value where the loop is entered, so it could instead compare the mapped phi at the start of each
/// iteration.
using early_tests = llvm::SmallDenseMap<const llvm::CmpInst*, const llvm::PHINode*>;

struct cheap_counters_pass : llvm::PassInfoMixin<cheap_counters_pass> {
  explicit cheap_counters_pass(early_tests& found) : m_found(&found) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

private:
  early_tests* m_found;
};

} // namespace prism::compiler
