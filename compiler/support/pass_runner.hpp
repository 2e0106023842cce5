// Runs LLVM passes, named by LLVM's own pipeline text, on a device module: no target machine, and a library
// info that knows no function but operator new and delete (so that no pass invents a libm or memset call).
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
