// Handles loops first, from the innermost outwards, then the other branches, the deepest first. A construct's
// merge block is therefore made after the constructs inside it have theirs, and splitting a block never takes
// away another construct's merge block.
#include "compiler/device_ir/structured.hpp"

#include "compiler/device_ir/counters.hpp"
#include "compiler/device_ir/loop_results.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/StructurizeCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"

namespace prism::compiler {

using namespace llvm;

namespace {

BranchInst* conditional_branch(BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  return branch != nullptr && branch->isConditional() ? branch : nullptr;
}

/// Branches whose two targets are the same become unconditional.
void merge_equal_ways(Function& function) {
  for (BasicBlock& block : function) {
    BranchInst* branch = conditional_branch(block);
    if (branch == nullptr || branch->getSuccessor(0) != branch->getSuccessor(1)) continue;
    BasicBlock* target = branch->getSuccessor(0);
    target->removePredecessor(&block, /*KeepOneInputPHIs=*/true);
    BranchInst::Create(target, branch->getIterator());
    branch->eraseFromParent();
  }
}

/// One `ret`, which unreachable ends lead to as well: a work-item that gets there just ends.
BasicBlock* one_exit(Function& function) {
  BasicBlock* exit = BasicBlock::Create(function.getContext(), "exit", &function);
  for (BasicBlock& block : function) {
    if (&block == exit) continue;
    Instruction* end = block.getTerminator();
    if (!isa<ReturnInst>(end) && !isa<UnreachableInst>(end)) continue;
    BranchInst::Create(exit, end->getIterator());
    end->eraseFromParent();
  }
  ReturnInst::Create(function.getContext(), nullptr, exit);
  return exit;
}

/// Post-dominators and structured loops need an exit of every loop. Endless loops get an edge that is never
/// taken.
void give_endless_loops_an_exit(Function& function, BasicBlock* exit) {
  FunctionCallee never =
      function.getParent()->getOrInsertFunction(never_name, Type::getInt1Ty(function.getContext()));
  for (;;) {
    SmallPtrSet<BasicBlock*, 32> leaving;
    SmallVector<BasicBlock*, 32> work{exit};
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (leaving.insert(block).second) work.append(pred_begin(block), pred_end(block));
    }
    // The first block in post-order that cannot leave has only edges to its ancestors, so it closes a cycle.
    BasicBlock* closing = nullptr;
    for (BasicBlock* block : post_order(&function.getEntryBlock()))
      if (!leaving.contains(block)) {
        closing = block;
        break;
      }
    if (closing == nullptr) return;
    BasicBlock* rest = closing->splitBasicBlock(closing->getTerminator()->getIterator());
    Instruction* end = closing->getTerminator();
    IRBuilder<> at(end);
    at.CreateCondBr(at.CreateCall(never), exit, rest);
    end->eraseFromParent();
  }
}

/// `restructure`: linearises what is not structured yet. That costs flag variables and flattened ifs, so it
/// does not run on functions that are structured already, which are most. Without it, `tests` receives what
/// counters.hpp describes.
void run_passes(Function& function, bool restructure, early_tests& tests) {
  PassBuilder passes;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graphs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graphs, modules);
  FunctionPassManager pipeline;
  pipeline.addPass(FixIrreduciblePass());
  pipeline.addPass(LoopSimplifyPass());
  if (restructure) {
    pipeline.addPass(LCSSAPass());
    pipeline.addPass(UnifyLoopExitsPass());
    pipeline.addPass(StructurizeCFGPass());
  } else {
    pipeline.addPass(cheap_counters_pass(tests));
    pipeline.addPass(DCEPass());
  }
  pipeline.run(function, functions);
}

bool leaves_loops_at_their_ends(Function& function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  return all_of(loops.getLoopsInPreorder(), [](const Loop* loop) {
    return loop->getLoopLatch() && loop->getExitingBlock() == loop->getLoopLatch();
  });
}

class merger {
public:
  explicit merger(Function& function)
      : m_function(function), m_dominators(function), m_post_dominators(function),
        m_updater(m_dominators, m_post_dominators, DomTreeUpdater::UpdateStrategy::Eager),
        m_loops(m_dominators) {}

  /// On failure the function has more blocks but still computes the same.
  structured_flow run() {
    SmallVector<Loop*, 8> loops = m_loops.getLoopsInPreorder();
    for (Loop* loop : loops) check_loop(*loop);
    if (!m_flow.failure.empty()) return std::move(m_flow);
    for (auto loop = loops.rbegin(); loop != loops.rend() && m_flow.failure.empty(); ++loop)
      merge_loop(**loop);
    if (m_flow.failure.empty()) merge_selections();
    if (m_flow.failure.empty()) {
      remove_copies();
      order_blocks();
    }
    return std::move(m_flow);
  }

private:
  void fail(const char* what) {
    if (m_flow.failure.empty()) m_flow.failure = what;
  }

  void check_loop(Loop& loop) {
    BasicBlock* latch = loop.getLoopLatch();
    if (latch == nullptr) return fail("a loop with several back edges remained");
    SmallVector<Loop::Edge, 4> exits;
    loop.getExitEdges(exits);
    if (exits.size() == 1 && is_test(loop, exits.front().first)) return;
    if (exits.size() != 1 || exits.front().first != latch || conditional_branch(*latch) == nullptr)
      fail("a loop with an exit inside of it remained");
  }

  /// True for a header that has only phis, the exit and at most its comparison: loop_results.hpp.
  static bool is_test(const Loop& loop, BasicBlock* leaving) {
    const BranchInst* branch = conditional_branch(*leaving);
    if (leaving != loop.getHeader() || leaving == loop.getLoopLatch() || branch == nullptr) return false;
    const Instruction* first = leaving->getFirstNonPHI();
    return first == branch || (isa<ICmpInst>(first) && first->getNextNode() == branch);
  }

  // The loop's only exit is at its end (or in front of its body), so that its end post-dominates the whole
  // loop. A selection inside the loop then merges inside it, and needs neither `break` nor `continue`.
  void merge_loop(Loop& loop) {
    BasicBlock* latch = loop.getLoopLatch();
    SmallVector<Loop::Edge, 1> exits;
    loop.getExitEdges(exits);
    BasicBlock* merge = SplitBlockPredecessors(exits.front().second, {exits.front().first}, ".loop_merge",
                                               &m_updater, &m_loops);
    BasicBlock* header = loop.getHeader();
    if (is_test(loop, exits.front().first)) {
      BasicBlock* end = SplitBlock(latch, latch->getTerminator(), &m_updater, &m_loops);
      m_flow.headers[header] = {merge, end};
      m_loop_ends.insert(header);
      return;
    }
    BasicBlock* body = SplitBlock(header, header->getFirstNonPHI(), &m_updater, &m_loops);
    if (latch == header) latch = body;
    BasicBlock* end = SplitBlock(latch, latch->getTerminator(), &m_updater, &m_loops);
    m_flow.headers[header] = {merge, end};
    m_loop_ends.insert(end);
  }

  void merge_selections() {
    std::vector<BasicBlock*> branches;
    for (BasicBlock& block : m_function)
      if (conditional_branch(block) != nullptr && !m_loop_ends.contains(&block)) branches.push_back(&block);
    llvm::stable_sort(branches, [&](BasicBlock* a, BasicBlock* b) {
      return m_dominators.getNode(a)->getLevel() > m_dominators.getNode(b)->getLevel();
    });
    for (BasicBlock* block : branches) merge_selection(block);
  }

  void merge_selection(BasicBlock* block) {
    auto* node = m_post_dominators.getNode(block);
    BasicBlock* join = node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
    if (join == nullptr) return fail("a branch whose paths never merge remained");
    SmallVector<BasicBlock*, 8> inside;
    for (BasicBlock* before : predecessors(join))
      if (m_dominators.dominates(block, before) && !m_dominators.dominates(join, before))
        inside.push_back(before);
    if (inside.empty()) return fail("a branch with a second entry remained");
    BasicBlock* merge = SplitBlockPredecessors(join, inside, ".merge", &m_updater, &m_loops);
    if (!m_dominators.dominates(block, merge) ||
        m_post_dominators.getNode(block)->getIDom()->getBlock() != merge)
      return fail("a branch with several exits remained");
    m_flow.headers[block] = {merge, nullptr};
  }

  /// Phis of one value, which the splits of edges left.
  void remove_copies() {
    for (BasicBlock& block : m_function)
      for (PHINode& phi : make_early_inc_range(block.phis()))
        if (phi.getNumIncomingValues() == 1 && phi.getIncomingValue(0) != &phi) {
          phi.replaceAllUsesWith(phi.getIncomingValue(0));
          phi.eraseFromParent();
        }
  }

  /// The reverse of the order in which a depth-first search leaves the blocks. A construct's merge block is
  /// visited before its other blocks, and so stands after them.
  void order_blocks() {
    SmallPtrSet<BasicBlock*, 32> seen;
    std::vector<std::pair<BasicBlock*, SmallVector<BasicBlock*, 4>>>
        path; // each with the blocks left to visit
    const auto enter = [&](BasicBlock* block) {
      if (!seen.insert(block).second) return;
      SmallVector<BasicBlock*, 4> next(successors(block)); // visited from the end
      std::reverse(next.begin(), next.end());
      if (const auto header = m_flow.headers.find(block); header != m_flow.headers.end()) {
        if (header->second.continue_target != nullptr) next.push_back(header->second.continue_target);
        next.push_back(header->second.merge);
      }
      path.emplace_back(block, std::move(next));
    };
    enter(&m_function.getEntryBlock());
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next.empty()) {
        m_flow.order.push_back(block);
        path.pop_back();
      } else {
        enter(next.pop_back_val());
      }
    }
    std::reverse(m_flow.order.begin(), m_flow.order.end());
  }

  Function& m_function;
  DominatorTree m_dominators;
  PostDominatorTree m_post_dominators;
  DomTreeUpdater m_updater;
  LoopInfo m_loops;
  SmallPtrSet<BasicBlock*, 8> m_loop_ends;
  structured_flow m_flow;
};

} // namespace

structured_flow make_structured(Function& function) {
  removeUnreachableBlocks(function);
  merge_equal_ways(function);
  BasicBlock* exit = one_exit(function);
  give_endless_loops_an_exit(function, exit);
  removeUnreachableBlocks(function);
  early_tests tests;
  run_passes(function, /*restructure=*/false, tests);
  if (leaves_loops_at_their_ends(function)) pass_results_through_headers(function, tests);
  structured_flow as_it_is = merger(function).run();
  if (as_it_is.failure.empty()) return as_it_is;
  run_passes(function, /*restructure=*/true, tests);
  removeUnreachableBlocks(function);
  merge_equal_ways(function);
  pass_results_through_headers(function,
                               early_tests()); // the comparisons are unknown for loops that were made anew
  return merger(function).run();
}

} // namespace prism::compiler
