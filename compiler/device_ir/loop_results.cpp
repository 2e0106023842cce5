#include "compiler/device_ir/loop_results.hpp"

#include "compiler/device_ir/uniform.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

struct open_loop {
  BasicBlock *preheader, *header, *latch, *exit;
  SmallVector<BasicBlock*> leaving; // these have an edge to the exit
  ICmpInst* test =
      nullptr; // of the latch, which alone leaves; may be asked of `counter` in front of the header
  PHINode* counter = nullptr;
};

void find_early_test(open_loop& loop, const early_tests& tests) {
  if (loop.leaving.size() != 1 || loop.leaving.front() != loop.latch) return;
  const auto* branch = dyn_cast<BranchInst>(loop.latch->getTerminator());
  auto* test =
      branch != nullptr && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  const auto known = test != nullptr ? tests.find(test) : tests.end();
  if (known == tests.end()) return;
  for (PHINode& phi : loop.header->phis())
    if (&phi == known->second && is_contained(test->operands(), phi.getIncomingValueForBlock(loop.latch))) {
      loop.test = test;
      loop.counter = &phi;
    }
}

/// Whether the loop passes a value out that is not retained for work-items that have left. A phi of the
/// header is, except by the latch, at whose end it already has the value of the next iteration.
bool has_result(const Loop& loop, const BasicBlock& exit) {
  for (const PHINode& phi : exit.phis())
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      auto* value = dyn_cast<Instruction>(phi.getIncomingValue(i));
      if (!value || !loop.contains(value)) continue;
      const bool is_retained = isa<PHINode>(value) && value->getParent() == loop.getHeader() &&
                               phi.getIncomingBlock(i) != loop.getLoopLatch();
      if (!is_retained) return true;
    }
  return false;
}

bool has_barrier(const Loop& loop) {
  return any_of(loop.blocks(), [](const BasicBlock* block) {
    return any_of(*block, [](const Instruction& each) {
      const auto* call = dyn_cast<CallInst>(&each);
      return call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_barrier";
    });
  });
}

bool is_divergent(const SmallVectorImpl<BasicBlock*>& leaving, const uniform_values& uniform) {
  return !all_of(leaving, [&](const BasicBlock* each) { return uniform.branches_uniformly(*each); });
}

bool matters(const Loop& loop, const uniform_values& uniform, const early_tests& tests, open_loop& found) {
  found = {loop.getLoopPreheader(), loop.getHeader(), loop.getLoopLatch(), loop.getUniqueExitBlock(), {}};
  if (!found.preheader || !found.latch || !found.exit) return false;
  loop.getExitingBlocks(found.leaving);
  find_early_test(found, tests);
  if (found.test != nullptr && !has_barrier(loop)) return true;
  if (!has_result(loop, *found.exit) || !is_divergent(found.leaving, uniform)) return false;
  return all_of(found.leaving, [&](const BasicBlock* each) {
    auto* branch = dyn_cast<BranchInst>(each->getTerminator());
    return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1);
  });
}

/// Builds preheader -> test -> header ... latch -> next -> test. Blocks that leave the loop branch to `next`
/// too; `test` branches to the exit.
class rebuilder {
public:
  explicit rebuilder(open_loop& loop) : m_loop(loop) {}

  void rebuild() {
    Function& function = *m_loop.header->getParent();
    LLVMContext& context = function.getContext();
    m_test = BasicBlock::Create(context, "loop.test", &function, m_loop.header);
    m_next = BasicBlock::Create(context, "loop.next", &function, m_loop.exit);
    IRBuilder<> test(m_test), next(m_next);
    const bool latch_leaves = is_contained(m_loop.leaving, m_loop.latch);
    ICmpInst* const asked = m_loop.test != nullptr ? ask_early() : nullptr;
    Value* const run = asked != nullptr ? static_cast<Value*>(asked) : carry_run(test, next, latch_leaves);
    for (PHINode& phi : make_early_inc_range(m_loop.header->phis())) carry(phi, test, next);
    for (PHINode& phi : make_early_inc_range(m_loop.exit->phis())) give_out(phi, test, next, latch_leaves);
    next.CreateBr(m_test)->setMetadata(LLVMContext::MD_loop,
                                       m_loop.latch->getTerminator()->getMetadata(LLVMContext::MD_loop));
    if (asked != nullptr) test.Insert(asked);
    test.CreateCondBr(run, m_loop.header, m_loop.exit);
    m_loop.preheader->getTerminator()->replaceSuccessorWith(m_loop.header, m_test);
    for (BasicBlock* each : m_loop.leaving)
      if (each != m_loop.latch) each->getTerminator()->replaceSuccessorWith(m_loop.exit, m_next);
    m_loop.latch->getTerminator()->eraseFromParent();
    BranchInst::Create(m_next, m_loop.latch);
  }

private:
  /// A phi: whether the work-item executes the next iteration.
  PHINode* carry_run(IRBuilder<>& test, IRBuilder<>& next, bool latch_leaves) {
    PHINode *run = test.CreatePHI(test.getInt1Ty(), 2, "run"), *runs = next.CreatePHI(test.getInt1Ty(), 2);
    run->addIncoming(test.getTrue(), m_loop.preheader);
    run->addIncoming(runs, m_next);
    for (BasicBlock* each : m_loop.leaving)
      runs->addIncoming(each == m_loop.latch ? goes_on() : test.getFalse(), each);
    if (!latch_leaves) runs->addIncoming(test.getTrue(), m_loop.latch);
    return run;
  }

  /// The latch's comparison, applied to the header's value instead of the next one. It is inserted into a
  /// block later, after its phi has been carried.
  ICmpInst* ask_early() {
    auto* asked = cast<ICmpInst>(m_loop.test->clone());
    for (Use& operand : asked->operands())
      if (operand == m_loop.counter->getIncomingValueForBlock(m_loop.latch)) operand.set(m_loop.counter);
    if (cast<BranchInst>(m_loop.latch->getTerminator())->getSuccessor(0) != m_loop.header)
      asked->setPredicate(asked->getInversePredicate());
    return asked;
  }

  Value* goes_on() {
    auto* branch = cast<BranchInst>(m_loop.latch->getTerminator());
    if (branch->getSuccessor(0) == m_loop.header) return branch->getCondition();
    return IRBuilder<>(branch).CreateNot(branch->getCondition());
  }

  void carry(PHINode& phi, IRBuilder<>& test, IRBuilder<>& next) {
    PHINode *now = test.CreatePHI(phi.getType(), 2), *later = next.CreatePHI(phi.getType(), 2);
    now->takeName(&phi);
    now->addIncoming(phi.getIncomingValueForBlock(m_loop.preheader), m_loop.preheader);
    now->addIncoming(later, m_next);
    Value* const next_value = phi.getIncomingValueForBlock(m_loop.latch);
    const auto* next_phi = dyn_cast<PHINode>(next_value);
    if (next_phi == nullptr || next_phi->getParent() != m_loop.header) // those are replaced by new ones
      m_carried[next_value] = now;
    later->addIncoming(next_value, m_loop.latch);
    for (BasicBlock* each : m_loop.leaving)
      if (each != m_loop.latch) later->addIncoming(now, each);
    phi.replaceAllUsesWith(now);
    phi.eraseFromParent();
  }

  void give_out(PHINode& phi, IRBuilder<>& test, IRBuilder<>& next, bool latch_leaves) {
    // A phi already has the value with which the next iteration would start. The first iteration always runs.
    PHINode* const carried = m_loop.leaving.size() == 1 && latch_leaves
                                 ? m_carried.lookup(phi.getIncomingValueForBlock(m_loop.latch))
                                 : nullptr;
    if (carried != nullptr) {
      phi.replaceAllUsesWith(carried);
      phi.eraseFromParent();
      return;
    }
    PHINode *now = test.CreatePHI(phi.getType(), 2), *later = next.CreatePHI(phi.getType(), 2);
    now->takeName(&phi);
    now->addIncoming(Constant::getNullValue(phi.getType()), m_loop.preheader);
    now->addIncoming(later, m_next);
    for (BasicBlock* each : m_loop.leaving) later->addIncoming(phi.getIncomingValueForBlock(each), each);
    if (!latch_leaves) later->addIncoming(now, m_loop.latch);
    phi.replaceAllUsesWith(now);
    phi.eraseFromParent();
  }

  open_loop& m_loop;
  BasicBlock *m_test = nullptr, *m_next = nullptr;
  DenseMap<Value*, PHINode*>
      m_carried; // maps a value at the end of an iteration to the phi that has it in the next one
};

/// Whether work-items that leave in different iterations use, in several blocks, values that are not phis of
/// the header.
bool leads_results_apart(const Loop& loop, const uniform_values& uniform,
                         const SmallVectorImpl<BasicBlock*>& exits) {
  if (loop.getLoopPreheader() == nullptr || loop.getLoopLatch() == nullptr || exits.size() < 2 ||
      !loop.hasDedicatedExits())
    return false;
  SmallVector<BasicBlock*> leaving;
  loop.getExitingBlocks(leaving);
  if (!is_divergent(leaving, uniform) ||
      !all_of(leaving, [](const BasicBlock* each) { return isa<BranchInst>(each->getTerminator()); }))
    return false;
  return any_of(exits, [&](BasicBlock* exit) { return has_result(loop, *exit); });
}

/// Leads all exit edges of the loop to one new block, which branches by the number of the exit.
void lead_to_one_exit(const Loop& loop, const SmallVectorImpl<BasicBlock*>& exits) {
  SmallVector<std::pair<BasicBlock*, BasicBlock*>> edges;
  loop.getExitEdges(edges);
  Function& function = *loop.getHeader()->getParent();
  BasicBlock* const meet = BasicBlock::Create(function.getContext(), "loop.exit", &function, exits.front());
  IRBuilder<> builder(meet);
  PHINode* const which = builder.CreatePHI(builder.getInt32Ty(), edges.size());
  for (const auto& [from, to] : edges)
    which->addIncoming(builder.getInt32(static_cast<std::uint32_t>(find(exits, to) - exits.begin())), from);
  for (BasicBlock* exit : exits)
    for (PHINode& phi : make_early_inc_range(exit->phis())) {
      PHINode* const all = builder.CreatePHI(phi.getType(), edges.size());
      all->takeName(&phi);
      for (const auto& [from, to] : edges)
        all->addIncoming(
            to == exit ? phi.getIncomingValueForBlock(from) : Constant::getNullValue(phi.getType()), from);
      phi.replaceAllUsesWith(all);
      phi.eraseFromParent();
    }
  for (const auto& [from, to] : edges) from->getTerminator()->replaceSuccessorWith(to, meet);
  for (std::uint32_t each = 0; each + 2 < exits.size(); ++each) {
    BasicBlock* const others =
        BasicBlock::Create(function.getContext(), "loop.exits", &function, exits[each + 1]);
    builder.CreateCondBr(builder.CreateICmpEQ(which, builder.getInt32(each)), exits[each], others);
    builder.SetInsertPoint(others);
  }
  const std::size_t last = exits.size() - 1;
  builder.CreateCondBr(builder.CreateICmpEQ(which, builder.getInt32(static_cast<std::uint32_t>(last - 1))),
                       exits[last - 1], exits[last]);
}

/// A loop inside of `outer` that has an exit of its own and also leaves its surrounding loop; null if there
/// is none. As long as such a loop exists, LLVM gives it a dedicated exit there, and the surrounding loop
/// would have two exits again.
const Loop* leaves_two_loops(const Loop& outer, const SmallVectorImpl<Loop*>& all) {
  for (const Loop* each : reverse(all)) { // innermost first
    if (each == &outer || !outer.contains(each)) continue;
    SmallVector<BasicBlock*> exits;
    each->getUniqueExitBlocks(exits);
    if (exits.size() > 1 &&
        any_of(exits, [&](const BasicBlock* exit) { return !each->getParentLoop()->contains(exit); }))
      return each;
  }
  return nullptr;
}

bool change_one(Function& kernel, const early_tests& tests) {
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  if (loops.empty()) return false;
  for (Loop* loop : loops) {
    simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr, false);
    formLCSSARecursively(*loop, dominators, &loops, nullptr);
  }
  const uniform_values uniform(kernel);
  const auto all = loops.getLoopsInPreorder();
  for (auto each = all.rbegin(); each != all.rend(); ++each) { // innermost first
    SmallVector<BasicBlock*> exits;
    (*each)->getUniqueExitBlocks(exits);
    if (leads_results_apart(**each, uniform, exits)) {
      const Loop* const inner = leaves_two_loops(**each, all);
      if (inner != nullptr) exits.clear(), inner->getUniqueExitBlocks(exits);
      lead_to_one_exit(inner != nullptr ? *inner : **each, exits);
      return true;
    }
    open_loop found;
    if (!matters(**each, uniform, tests, found)) continue;
    rebuilder(found).rebuild();
    return true;
  }
  return false;
}

} // namespace

void pass_results_through_headers(Function& kernel, const early_tests& tests) {
  while (change_one(kernel, tests)) {} // each change leaves a loop with fewer exits, or without such results
}

} // namespace prism::compiler
