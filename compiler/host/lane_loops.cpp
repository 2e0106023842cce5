#include "compiler/host/lane_loops.hpp"

#include "compiler/host/jam_lanes.hpp"
#include "compiler/host/math_calls.hpp"
#include "compiler/host/separate_regions.hpp"
#include "compiler/host/parallel.hpp"
#include "compiler/passes/passes.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/workgroup/row_strips.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned x_depth = 3; // sycl/detail/kernel_wrap.hpp nests three loops; x is the innermost

bool has_switch(const Loop& loop) {
  return any_of(loop.blocks(),
                [](const BasicBlock* block) { return isa<SwitchInst>(block->getTerminator()); });
}

/// Whether two instructions compute the same from values that are available at the start of `block`.
bool compute_alike(const Value* a, const Value* b, const BasicBlock& block, const DominatorTree& dominators,
                   unsigned depth) {
  auto *one = dyn_cast<Instruction>(a), *other = dyn_cast<Instruction>(b);
  if (a == b && (!one || dominators.properlyDominates(one->getParent(), &block))) return true;
  if (!one || !other || depth == 0 || !one->isSameOperationAs(other) ||
      !isa<BinaryOperator, CastInst, GetElementPtrInst>(one))
    return false;
  return all_of_zip(one->operands(), other->operands(), [&](const Use& mine, const Use& its) {
    return compute_alike(mine.get(), its.get(), block, dominators, depth - 1);
  });
}

/// The value that both compute, computed before `place`.
Value* compute_before(Instruction& place, Value* a, Value* b, const DominatorTree& dominators) {
  auto* one = dyn_cast<Instruction>(a);
  if (a == b && (!one || dominators.properlyDominates(one->getParent(), place.getParent()))) return a;
  Instruction* made = one->clone();
  for (unsigned i = 0; i < made->getNumOperands(); ++i)
    made->setOperand(
        i, compute_before(place, one->getOperand(i), cast<Instruction>(b)->getOperand(i), dominators));
  made->andIRFlags(b);
  made->insertBefore(place.getIterator());
  return made;
}

/// A phi whose two values are computed in the same way becomes that computation. LLVM does not recognise it,
/// and so does not see that addresses derived from it are adjacent. Simplification leaves such phis where
/// both branches use the value themselves.
void join_ways(const Loop& loop, const DominatorTree& dominators) {
  constexpr unsigned deepest = 4;
  for (BasicBlock* block : loop.blocks()) {
    if (block == loop.getHeader()) continue;
    for (PHINode& phi : make_early_inc_range(block->phis())) {
      if (phi.getNumIncomingValues() != 2 ||
          !compute_alike(phi.getIncomingValue(0), phi.getIncomingValue(1), *block, dominators, deepest))
        continue;
      phi.replaceAllUsesWith(compute_before(*block->getFirstInsertionPt(), phi.getIncomingValue(0),
                                            phi.getIncomingValue(1), dominators));
      phi.eraseFromParent();
    }
  }
}

/// Whether the value has at most 32 significant bits, so that comparisons with similar values can use the low
/// half.
bool is_narrow(Value& value, bool is_signed, ScalarEvolution& evolution) {
  return evolution.getUnsignedRangeMax(evolution.getSCEV(&value)).getActiveBits() <= (is_signed ? 31 : 32);
}

/// A comparison of the 64-bit work-item id with a loop-invariant value is done in 32 bits if both values
/// allow that. Masks for vectors of floats then take half of the comparisons.
void narrow_comparisons(const Loop& loop, ScalarEvolution& evolution) {
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : make_early_inc_range(*block)) {
      auto* test = dyn_cast<ICmpInst>(&instruction);
      if (!test || !test->getOperand(0)->getType()->isIntegerTy(64) || block == loop.getLoopLatch()) continue;
      const bool varies[] = {!loop.isLoopInvariant(test->getOperand(0)),
                             !loop.isLoopInvariant(test->getOperand(1))};
      if (varies[0] == varies[1] || !isa<SCEVAddRecExpr>(evolution.getSCEV(test->getOperand(varies[1]))))
        continue;
      if (!is_narrow(*test->getOperand(0), test->isSigned(), evolution) ||
          !is_narrow(*test->getOperand(1), test->isSigned(), evolution))
        continue;
      test->dropPoisonGeneratingFlags();
      for (unsigned i : {0, 1}) {
        IRBuilder<> build(varies[i] ? &instruction : loop.getLoopPreheader()->getTerminator());
        test->setOperand(i, build.CreateTrunc(test->getOperand(i), build.getInt32Ty()));
      }
    }
}

/// A kernel of many barriers has as many loops over work-items. LLVM would interleave and unroll each of
/// them, up to sixteen copies of its body.
void keep_small(const Loop& loop) {
  auto& each = const_cast<Loop&>(loop);
  addStringMetadataToLoop(&each, "llvm.loop.interleave.count", 1);
  addStringMetadataToLoop(&each, "llvm.loop.unroll.disable", 1);
}

/// A row of work-items under a condition, often 16 of them. LLVM would interleave four vectors, and rows that
/// are shorter than the four would execute work-item by work-item.
void keep_narrow(const Loop& row) {
  addStringMetadataToLoop(&const_cast<Loop&>(row), "llvm.loop.interleave.count", 1);
}

} // namespace

bool is_range_body(const Function& function) {
  return function.getName().starts_with("_ZN4sycl3_V16detail7run_boxI");
}

void mark_range_loops(Module& host) {
  for (Function& function : host) {
    if (function.isDeclaration() || !is_range_body(function)) continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop* loop : loops.getLoopsInPreorder())
      if (loop->getLoopDepth() == x_depth) mark_lane_loop(*loop);
  }
}

void simplify_ranges(Module& host) {
  for (Function& function : host) {
    if (function.isDeclaration() || !is_range_body(function)) continue;
    fold_powers(function);
    free_math_calls(function);
    split_rows(function);
  }
}

PreservedAnalyses lane_loops_pass::run(Function& function, FunctionAnalysisManager& analyses) {
  const bool has_inner = any_of(analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder(),
                                [](const Loop* loop) { return !loop->isInnermost() && is_lane_loop(*loop); });
  if (has_inner && !function.hasFnAttribute(separate_region) && jam_lanes(function))
    analyses.invalidate(function, PreservedAnalyses::none());
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  bool switches = false;
  SmallVector<const Loop*> found;
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && is_lane_loop(*loop)) found.push_back(loop);
  if (found.empty()) return has_inner ? PreservedAnalyses::none() : PreservedAnalyses::all();
  for (const Loop* loop : found) {
    if (function.hasFnAttribute(separate_region)) keep_small(*loop);
    else if (loop->getNumBlocks() > 1 && loop->getLoopDepth() > 1) keep_narrow(*loop);
    join_ways(*loop, analyses.getResult<DominatorTreeAnalysis>(function));
    if (loop->getLoopPreheader())
      narrow_comparisons(*loop, analyses.getResult<ScalarEvolutionAnalysis>(function));
    switches |= has_switch(*loop);
  }
  if (switches) LowerSwitchPass().run(function, analyses);
  if (is_range_body(function))
    mark_parallel_loops(function); // work-group functions were marked while they had their atomics
  return PreservedAnalyses::none();
}

} // namespace prism::compiler
