#include "compiler/support/pass_runner.hpp"

#include "compiler/support/pass_timer.hpp"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

namespace prism::compiler {
using namespace llvm;

namespace {

TargetLibraryInfoImpl device_library() {
  TargetLibraryInfoImpl library{Triple()};
  library.disableAllFunctions();
  for (LibFunc function :
       {LibFunc_Znwm, LibFunc_Znam, LibFunc_ZdlPv, LibFunc_ZdlPvm, LibFunc_ZdaPv, LibFunc_ZdaPvm})
    library.setAvailable(function);
  return library;
}

} // namespace

pass_runner::pass_runner() {
  m_builder.registerPipelineParsingCallback(
      [](StringRef name, FunctionPassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (name != "prism-scalarize")
      return false; // LLVM's scalarizer with loads and stores, which its text form cannot ask for
    ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    passes.addPass(ScalarizerPass(options));
    return true;
  });
  m_builder.registerPipelineParsingCallback(
      [](StringRef name, LoopPassManager& passes, ArrayRef<PassBuilder::PipelineElement>) {
    if (name != "prism-indvars")
      return false; // counters stay as narrow as the source has them: vectors of them cost by the byte
    passes.addPass(IndVarSimplifyPass(/*WidenIndVars=*/false));
    return true;
  });
  m_functions.registerPass([] { return TargetLibraryAnalysis(device_library()); });
  m_builder.registerModuleAnalyses(m_modules);
  m_builder.registerCGSCCAnalyses(m_components);
  m_builder.registerFunctionAnalyses(m_functions);
  m_builder.registerLoopAnalyses(m_loops);
  m_builder.crossRegisterProxies(m_loops, m_functions, m_components, m_modules);
}

ModulePassManager& pass_runner::passes_of(StringRef pipeline) {
  const auto [found, is_new] = m_pipelines.try_emplace(pipeline);
  ModulePassManager& passes = found->second;
  if (!is_new) return passes;
  if (Error error = m_builder.parsePassPipeline(passes, pipeline))
    report_fatal_error("PRISM: LLVM does not know the pass pipeline '" + pipeline +
                           "': " + toString(std::move(error)),
                       false);
  return passes;
}

void pass_runner::run(Module& module, StringRef pipeline) {
  const NamedRegionTimer timer("llvm", "LLVM's passes for kernels", pass_group, pass_group_title,
                               TimePassesIsEnabled);
  passes_of(pipeline).run(module, m_modules);
  m_modules.clear();
  m_components.clear();
  m_functions.clear();
  m_loops.clear();
}

} // namespace prism::compiler
