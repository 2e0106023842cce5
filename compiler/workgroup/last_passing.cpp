#include "compiler/workgroup/last_passing.hpp"

#include "compiler/workgroup/lanes.hpp"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

// A factor below 2^16, and a group's end times that factor below 2^31: the products count up, as signed and
// as unsigned numbers of 32 and of 64 bits. Groups have fewer than 2^31 work-items.
constexpr std::uint64_t factor_limit = 1ul << 16, product_limit = 1ul << 31;

/// Casts between types of at least 32 bits, which keep numbers from 0 to 2^31 - 1.
Value* without_casts(Value* value) {
  while (auto* cast = dyn_cast<CastInst>(value)) {
    if (!isa<ZExtInst, SExtInst, TruncInst>(cast) || cast->getSrcTy()->getScalarSizeInBits() < 32 ||
        cast->getType()->getScalarSizeInBits() < 32)
      break;
    value = cast->getOperand(0);
  }
  return value;
}

class guarded_lanes {
public:
  explicit guarded_lanes(Loop& loop) : m_loop(loop) {}

  bool find() {
    m_before = m_loop.getLoopPreheader();
    BasicBlock *header = m_loop.getHeader(), *latch = m_loop.getLoopLatch();
    m_lane = m_loop.getCanonicalInductionVariable();
    if (!m_before || !latch || header == latch || !m_lane || m_loop.getExitingBlock() != latch ||
        !m_lane->getType()->isIntegerTy(64) || !hasSingleElement(header->phis()))
      return false;
    m_leaves = dyn_cast<BranchInst>(latch->getTerminator());
    m_again = m_leaves && m_leaves->isConditional() ? dyn_cast<ICmpInst>(m_leaves->getCondition()) : nullptr;
    if (!m_again || m_leaves->getSuccessor(0) != header || m_again->getPredicate() != CmpInst::ICMP_ULT ||
        m_again->getOperand(0) != m_lane->getIncomingValueForBlock(latch) ||
        !m_loop.isLoopInvariant(m_again->getOperand(1)))
      return false;
    return finds_guard(*header, *latch) && does_nothing(*header) && does_nothing(*latch) && leaves_nothing();
  }

  void end() {
    IRBuilder<> build(m_before->getTerminator());
    Value* factor = build.CreateZExt(m_factor, build.getInt64Ty());
    Value* wraps = build.CreateOr(
        build.CreateICmpUGE(factor, build.getInt64(factor_limit)),
        build.CreateICmpUGE(build.CreateMul(factor, m_again->getOperand(1)), build.getInt64(product_limit)),
        "wraps");
    build.SetInsertPoint(m_leaves);
    Value* test = m_passes_on_true ? static_cast<Value*>(m_test) : build.CreateNot(m_test);
    m_leaves->setCondition(build.CreateAnd(m_again, build.CreateOr(wraps, test)));
  }

private:
  /// The branch at the end of the header skips to the latch for work-items that do not pass.
  bool finds_guard(BasicBlock& header, BasicBlock& latch) {
    auto* branch = dyn_cast<BranchInst>(header.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return false;
    if (branch->getSuccessor(0) != &latch && branch->getSuccessor(1) != &latch) return false;
    m_passes_on_true = branch->getSuccessor(1) == &latch;
    m_test = dyn_cast<ICmpInst>(branch->getCondition());
    if (!m_test) return false;
    CmpInst::Predicate passes = m_passes_on_true ? m_test->getPredicate() : m_test->getInversePredicate();
    Value *product = m_test->getOperand(0), *bound = m_test->getOperand(1);
    if (m_loop.isLoopInvariant(product)) {
      std::swap(product, bound);
      passes = CmpInst::getSwappedPredicate(passes);
    }
    const bool is_below =
        is_contained({CmpInst::ICMP_ULT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULE, CmpInst::ICMP_SLE}, passes);
    if (!is_below || !m_loop.isLoopInvariant(bound)) return false;
    Value *one, *other;
    if (!match(without_casts(product), m_Mul(m_Value(one), m_Value(other)))) return false;
    if (m_loop.isLoopInvariant(one)) std::swap(one, other);
    m_factor = other;
    return without_casts(one) == m_lane && m_loop.isLoopInvariant(other) && !isa<Constant>(other) &&
           (other->getType()->isIntegerTy(32) || other->getType()->isIntegerTy(64));
  }

  static bool does_nothing(const BasicBlock& block) {
    return none_of(block, [](const Instruction& each) { return each.mayHaveSideEffects(); });
  }

  /// Whether no value of the loop is used behind it.
  bool leaves_nothing() const {
    for (const BasicBlock* block : m_loop.blocks())
      for (const Instruction& each : *block)
        if (any_of(each.users(), [&](const User* user) { return !m_loop.contains(cast<Instruction>(user)); }))
          return false;
    return true;
  }

  Loop& m_loop;
  BasicBlock* m_before = nullptr;
  PHINode* m_lane = nullptr;
  BranchInst* m_leaves = nullptr;
  ICmpInst *m_again = nullptr, *m_test = nullptr; // whether a work-item follows; the guard
  Value* m_factor = nullptr;
  bool m_passes_on_true = true;
};

} // namespace

bool end_at_last_passing(Function& group) {
  const DominatorTree dominators(group);
  const LoopInfo loops(dominators);
  bool any = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop) || !loop->isInnermost()) continue;
    guarded_lanes lanes(*loop);
    if (!lanes.find()) continue;
    lanes.end();
    any = true;
  }
  return any;
}

} // namespace prism::compiler
