#include "compiler/host/lane_loops.hpp"

#include "compiler/host/parallel.hpp"
#include "compiler/lower/workgroup/lanes.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned x_depth = 3; // sycl/detail/kernel_wrap.hpp nests three loops, x the innermost

bool has_switch(const Loop& loop) {
  return any_of(loop.blocks(), [](const BasicBlock* block) { return isa<SwitchInst>(block->getTerminator()); });
}

} // namespace

bool is_range_body(const Function& function) { return function.getName().starts_with("_ZN4sycl3_V16detail7run_boxI"); }

void mark_range_loops(Module& host) {
  for (Function& function : host) {
    if (function.isDeclaration() || !is_range_body(function)) continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop* loop : loops.getLoopsInPreorder())
      if (loop->getLoopDepth() == x_depth) mark_lane_loop(*loop);
  }
}

PreservedAnalyses lane_loops_pass::run(Function& function, FunctionAnalysisManager& analyses) {
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  bool any = false, switches = false;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !is_lane_loop(*loop)) continue;
    any = true;
    switches |= has_switch(*loop);
  }
  if (!any) return PreservedAnalyses::all();
  if (switches) LowerSwitchPass().run(function, analyses);
  if (is_range_body(function)) mark_parallel_loops(function); // work-group functions are judged while their atomics are there
  return PreservedAnalyses::none();
}

} // namespace prism::compiler
