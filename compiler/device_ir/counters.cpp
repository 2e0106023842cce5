// Makes loop counters cheap for devices that compute in vectors of 32-bit lanes, where a 64-bit comparison or
// product takes several instructions per vector:
//
//   * a 64-bit product that grows by the same amount in each iteration becomes a running sum;
//   * a 64-bit counter that stays below a 32-bit bound counts in 32 bits. Its last step could pass 2^32; the
//     step is limited to the remaining distance, so that the counter ends at the bound.
#include "compiler/device_ir/counters.hpp"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned narrow_bits = 32, wide_bits = 64;

/// The loop continues while a comparison of `next` with `bound` holds. The same comparison holds for `start`.
struct counter {
  PHINode* phi;
  Instruction* next;
  Value *start, *bound;
  ICmpInst* test;
  CmpInst::Predicate goes_on; // next goes_on bound
  bool goes_on_if;            // the test's result then
};

class cheap_counters {
public:
  cheap_counters(Loop& loop, ScalarEvolution& evolution, early_tests& found)
      : m_loop(loop), m_evolution(evolution), m_found(found), m_preheader(loop.getLoopPreheader()),
        m_latch(loop.getLoopLatch()) {}

  bool run() {
    if (m_preheader == nullptr || m_latch == nullptr) return false;
    const bool changed = add_for_products();
    const std::optional<counter> found = find_counter();
    if (!found) return changed;
    if (Value* step = narrow_step(*found)) {
      narrow(*found, step);
      return true;
    }
    m_found[found->test] = found->phi;
    return changed;
  }

private:
  bool add_for_products() {
    SmallVector<Instruction*> products;
    for (BasicBlock* block : m_loop.blocks())
      for (Instruction& each : *block)
        if (each.getOpcode() == Instruction::Mul && each.getType()->isIntegerTy(wide_bits))
          products.push_back(&each);
    bool changed = false;
    for (Instruction* product : products) changed |= add_for(*product);
    return changed;
  }

  bool add_for(Instruction& product) {
    const auto* sum = dyn_cast<SCEVAddRecExpr>(m_evolution.getSCEV(&product));
    if (sum == nullptr || sum->getLoop() != &m_loop || !sum->isAffine()) return false;
#if LLVM_VERSION_MAJOR >= 22
    SCEVExpander expander(m_evolution, "product");
#else
    SCEVExpander expander(m_evolution, product.getDataLayout(), "product");
#endif
    const SCEV *first = sum->getStart(), *step = sum->getStepRecurrence(m_evolution);
    Instruction* const before = m_preheader->getTerminator();
    if (!expander.isSafeToExpandAt(first, before) || !expander.isSafeToExpandAt(step, before)) return false;
    Value* const begin = expander.expandCodeFor(first, product.getType(), before);
    Value* const growth = expander.expandCodeFor(step, product.getType(), before);
    PHINode* const now = IRBuilder<>(m_loop.getHeader(), m_loop.getHeader()->begin())
                             .CreatePHI(product.getType(), 2, "product");
    Value* const later = IRBuilder<>(m_latch->getTerminator()).CreateAdd(now, growth, "product.next");
    now->addIncoming(begin, m_preheader);
    now->addIncoming(later, m_latch);
    m_evolution.forgetValue(&product);
    product.replaceAllUsesWith(now);
    product.eraseFromParent();
    return true;
  }

  std::optional<counter> find_counter() {
    auto* branch = dyn_cast<BranchInst>(m_latch->getTerminator());
    if (branch == nullptr || !branch->isConditional()) return std::nullopt;
    auto* test = dyn_cast<ICmpInst>(branch->getCondition());
    if (test == nullptr || !test->hasOneUse()) return std::nullopt;
    const bool goes_on_if = branch->getSuccessor(0) == m_loop.getHeader();
    for (PHINode& phi : m_loop.getHeader()->phis()) {
      auto* next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(m_latch));
      if (next == nullptr || !phi.getType()->isIntegerTy() || !is_contained(test->operands(), next)) continue;
      const bool is_left = test->getOperand(0) == next;
      const CmpInst::Predicate said = is_left ? test->getPredicate() : test->getSwappedPredicate();
      const counter found{&phi,
                          next,
                          phi.getIncomingValueForBlock(m_preheader),
                          test->getOperand(is_left ? 1 : 0),
                          test,
                          goes_on_if ? said : CmpInst::getInversePredicate(said),
                          goes_on_if};
      if (m_loop.isLoopInvariant(found.bound) &&
          m_evolution.isLoopEntryGuardedByCond(&m_loop, found.goes_on, m_evolution.getSCEV(found.start),
                                               m_evolution.getSCEV(found.bound)))
        return found;
    }
    return std::nullopt;
  }

  /// The step of a 64-bit counter that stays below a 32-bit bound; null for other counters.
  Value* narrow_step(const counter& c) {
    if (!c.phi->getType()->isIntegerTy(wide_bits) || c.next->getOpcode() != Instruction::Add) return nullptr;
    if (!is_contained(c.next->operands(), c.phi)) return nullptr;
    Value* const step = c.next->getOperand(c.next->getOperand(0) == c.phi ? 1 : 0);
    if (!m_loop.isLoopInvariant(step) || most(c.bound).getActiveBits() > narrow_bits) return nullptr;
    if (c.goes_on == CmpInst::ICMP_ULT) return step;
    // For a counter that starts below the bound and steps by one, "differs from the bound" means "is below
    // it".
    const bool from_below = m_evolution.isLoopEntryGuardedByCond(
        &m_loop, CmpInst::ICMP_ULT, m_evolution.getSCEV(c.start), m_evolution.getSCEV(c.bound));
    return c.goes_on == CmpInst::ICMP_NE && is_one(step) && from_below ? step : nullptr;
  }

  static bool is_one(const Value* value) {
    const auto* constant = dyn_cast<ConstantInt>(value);
    return constant != nullptr && constant->isOne();
  }
  APInt most(Value* value) { return m_evolution.getUnsignedRangeMax(m_evolution.getSCEV(value)); }

  static Value* narrowed(IRBuilder<>& build, Value* value) {
    auto* wider = dyn_cast<ZExtInst>(value);
    if (wider != nullptr && wider->getSrcTy()->isIntegerTy(narrow_bits)) return wider->getOperand(0);
    return build.CreateTrunc(value, build.getIntNTy(narrow_bits));
  }

  /// now + step, but not beyond the bound.
  Value* next_of(IRBuilder<>& build, PHINode* now, Value* wide_step, Value* bound, const APInt& highest) {
    const APInt ceiling = APInt::getMaxValue(narrow_bits).zext(wide_bits);
    bool overflows = false;
    if (is_one(wide_step) || (highest.uadd_ov(most(wide_step), overflows).ule(ceiling) && !overflows))
      return build.CreateAdd(now, outside(wide_step), "counter.next");
    if (most(wide_step).ugt(~ceiling)) return next_up_or_down(build, now, wide_step, bound);
    Value* const step = outside(wide_step);
    Value* const left = build.CreateSub(bound, now);
    return build.CreateAdd(now, build.CreateSelect(build.CreateICmpULT(step, left), step, left),
                           "counter.next");
  }

  /// The same for a step that may be a small negative 64-bit number, with which the counter wraps and counts
  /// down: the loop continues unless the counter passes 0. The two conditions, step < bound - now and step >
  /// -1 - now, become one comparison: both sides are inverted or not. -1 serves as the end as well as the
  /// bound does.
  Value* next_up_or_down(IRBuilder<>& build, PHINode* now, Value* wide_step, Value* bound) {
    IRBuilder<> before(m_preheader->getTerminator());
    Type* const narrow = bound->getType();
    const APInt ceiling = APInt::getMaxValue(narrow_bits).zext(wide_bits);
    Value* const down = before.CreateICmpUGT(wide_step, before.getInt(~ceiling - 1));
    Value* const up_step = before.CreateSelect(before.CreateICmpULT(wide_step, before.getInt(ceiling)),
                                               wide_step, before.getInt(ceiling));
    Value* const step = before.CreateTrunc(before.CreateSelect(down, wide_step, up_step), narrow);
    Value* const turned = before.CreateSExt(down, narrow);
    Value* const turned_step = before.CreateXor(step, turned);
    Value* const end = before.CreateOr(bound, turned);
    Value* const left = build.CreateSub(end, now);
    Value* const goes_on = build.CreateICmpULT(turned_step, build.CreateXor(left, turned));
    return build.CreateAdd(now, build.CreateSelect(goes_on, step, left), "counter.next");
  }

  /// The step in 32 bits, or 2^32 - 1 if it is larger, which is at least the remaining distance.
  Value* outside(Value* wide_step) {
    IRBuilder<> build(m_preheader->getTerminator());
    Value* const ceiling = build.getInt(APInt::getMaxValue(narrow_bits).zext(wide_bits));
    if (most(wide_step).getActiveBits() > narrow_bits)
      wide_step = build.CreateSelect(build.CreateICmpULT(wide_step, ceiling), wide_step, ceiling);
    return narrowed(build, wide_step);
  }

  void narrow(const counter& c, Value* step) {
    BasicBlock* const header = m_loop.getHeader();
    IRBuilder<> before(m_preheader->getTerminator()), top(header, header->begin()), end(c.test);
    Value* const bound = narrowed(before, c.bound);
    PHINode* const now = top.CreatePHI(before.getIntNTy(narrow_bits), 2, "counter");
    now->addIncoming(narrowed(before, c.start), m_preheader);
    now->addIncoming(next_of(end, now, step, bound, most(c.bound)), m_latch);
    auto* const test = cast<ICmpInst>(end.CreateICmpULT(now->getIncomingValueForBlock(m_latch), bound));
    if (!c.goes_on_if) test->setPredicate(CmpInst::ICMP_UGE);
    top.SetInsertPoint(header, header->getFirstInsertionPt());
    Value* const wide = top.CreateZExt(now, c.phi->getType());
    m_evolution.forgetLoop(&m_loop);
    c.test->replaceAllUsesWith(test);
    c.test->eraseFromParent();
    c.phi->replaceAllUsesWith(wide);
    c.phi->eraseFromParent();
    m_found[test] = now;
  }

  Loop& m_loop;
  ScalarEvolution& m_evolution;
  early_tests& m_found;
  BasicBlock *m_preheader, *m_latch;
};

} // namespace

PreservedAnalyses cheap_counters_pass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) changed |= cheap_counters(*loop, evolution, *m_found).run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace prism::compiler
