// LLVM's analyses of a function's loops, for code that is not a pass and so has no analysis manager.
#pragma once

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace prism::compiler {

/// Describes the function as it is now. It must be made again after the function's blocks change.
struct loop_facts {
  explicit loop_facts(llvm::Function& function)
      : dominators(function), loops(dominators),
        functions(llvm::Triple(function.getParent()->getTargetTriple())), library(functions, &function),
        assumptions(function), evolution(function, library, assumptions, dominators, loops) {}
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::TargetLibraryInfoImpl functions;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::ScalarEvolution evolution;
};

} // namespace prism::compiler
