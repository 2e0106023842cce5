// Runs LLVM passes on a device module. The caller names them in LLVM's own pipeline text. There is no target
// machine, and the library information knows no function but operator new and delete, so that no pass
// introduces a call of libm or memset.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/Passes/PassBuilder.h"

namespace prism::compiler {

class pass_runner {
public:
  pass_runner();
  void run(llvm::Module& module, llvm::StringRef pipeline);

private:
  llvm::ModulePassManager& passes_of(llvm::StringRef pipeline);

  llvm::PassBuilder m_builder;
  llvm::StringMap<llvm::ModulePassManager> m_pipelines;
  llvm::LoopAnalysisManager m_loops;
  llvm::FunctionAnalysisManager m_functions;
  llvm::CGSCCAnalysisManager m_components;
  llvm::ModuleAnalysisManager m_modules;
};

} // namespace prism::compiler
