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

/// LLVM writes `static_cast<int>(l) == 0` as `(l & 0xffffffff) == 0`. Groups have fewer
/// than 2^31 work-items.
Value* without_mask(Value* value) {
  Value* masked;
  const APInt* mask;
  if (match(value, m_And(m_Value(masked), m_APInt(mask))) && mask->countr_one() >= 31) value = masked;
  return without_casts(value);
}

/// A loop over work-items that does something only for those that pass a test in its header.
class guarded_lanes {
public:
  explicit guarded_lanes(Loop& loop) : m_loop(loop) {}

  bool find() {
    m_before = m_loop.getLoopPreheader();
    BasicBlock *header = m_loop.getHeader(), *latch = m_loop.getLoopLatch();
    m_lane = m_loop.getCanonicalInductionVariable();
    if (!m_before || !latch || header == latch || !m_lane || m_loop.getExitingBlock() != latch ||
        !m_lane->getType()->isIntegerTy(64))
      return false;
    m_leaves = dyn_cast<BranchInst>(latch->getTerminator());
    m_again = m_leaves && m_leaves->isConditional() ? dyn_cast<ICmpInst>(m_leaves->getCondition()) : nullptr;
    if (!m_again || m_leaves->getSuccessor(0) != header || m_again->getPredicate() != CmpInst::ICMP_ULT ||
        m_again->getOperand(0) != m_lane->getIncomingValueForBlock(latch) ||
        !m_loop.isLoopInvariant(m_again->getOperand(1)))
      return false;
    return finds_test(*header, *latch) && does_nothing(*header) && does_nothing(*latch);
  }

  /// Ends the loop after the first work-item if the test is whether it is the first.
  bool end_after_leader() {
    if (m_passes != CmpInst::ICMP_EQ) return false;
    Value *one = m_test->getOperand(0), *other = m_test->getOperand(1);
    if (isa<Constant>(one)) std::swap(one, other);
    if (!is_zero_for_first_only(one) || !match(other, m_Zero()) || !leaves_values_of_passing()) return false;
    m_leaves->setCondition(ConstantInt::getFalse(m_leaves->getContext()));
    return true;
  }

  /// Ends the loop at the first work-item that does not pass a guard `k * lid < n`.
  bool end_at_guard() {
    if (!finds_guard() || !hasSingleElement(m_loop.getHeader()->phis()) || !leaves_nothing()) return false;
    IRBuilder<> build(m_before->getTerminator());
    Value* factor = build.CreateZExt(m_factor, build.getInt64Ty());
    Value* wraps = build.CreateOr(
        build.CreateICmpUGE(factor, build.getInt64(factor_limit)),
        build.CreateICmpUGE(build.CreateMul(factor, m_again->getOperand(1)), build.getInt64(product_limit)),
        "wraps");
    build.SetInsertPoint(m_leaves);
    Value* test = m_passes_on_true ? static_cast<Value*>(m_test) : build.CreateNot(m_test);
    m_leaves->setCondition(build.CreateAnd(m_again, build.CreateOr(wraps, test)));
    return true;
  }

private:
  /// The number of the work-item in the loop, or the sum of it and a sub-group's first work-item.
  bool is_zero_for_first_only(Value* id) const {
    if (without_mask(id) == m_lane) return true;
    Value *one, *other;
    if (!match(id, m_NUWAdd(m_Value(one), m_Value(other))) && !match(id, m_Or(m_Value(one), m_Value(other))))
      return false;
    return (one == m_lane && m_loop.isLoopInvariant(other)) ||
           (other == m_lane && m_loop.isLoopInvariant(one));
  }

  /// The branch at the end of the header skips to the latch for work-items that do not pass.
  bool finds_test(BasicBlock& header, BasicBlock& latch) {
    auto* branch = dyn_cast<BranchInst>(header.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return false;
    if (branch->getSuccessor(0) != &latch && branch->getSuccessor(1) != &latch) return false;
    m_passes_on_true = branch->getSuccessor(1) == &latch;
    m_test = dyn_cast<ICmpInst>(branch->getCondition());
    if (!m_test) return false;
    m_passes = m_passes_on_true ? m_test->getPredicate() : m_test->getInversePredicate();
    return true;
  }

  bool finds_guard() {
    CmpInst::Predicate passes = m_passes;
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

  /// Whether no value of the loop is used behind it, except those in `allowed`.
  bool leaves_nothing(const SmallPtrSetImpl<const Value*>& allowed = SmallPtrSet<const Value*, 1>()) const {
    const auto is_behind = [&](const User* user) { return !m_loop.contains(cast<Instruction>(user)); };
    return all_of(m_loop.blocks(), [&](const BasicBlock* block) {
      return all_of(*block, [&](const Instruction& each) {
        return allowed.contains(&each) || none_of(each.users(), is_behind);
      });
    });
  }

  /// Whether work-items that do not pass change no value that the next work-item or the code behind reads.
  bool leaves_values_of_passing() const {
    SmallPtrSet<const Value*, 4> passed_on;
    for (const PHINode& carried : m_loop.getHeader()->phis()) {
      if (&carried == m_lane) continue;
      auto* next = dyn_cast<PHINode>(carried.getIncomingValueForBlock(m_loop.getLoopLatch()));
      if (!next || next->getParent() != m_loop.getLoopLatch() ||
          next->getIncomingValueForBlock(m_loop.getHeader()) != &carried)
        return false;
      passed_on.insert(next);
    }
    return leaves_nothing(passed_on);
  }

  Loop& m_loop;
  BasicBlock* m_before = nullptr;
  PHINode* m_lane = nullptr;
  BranchInst* m_leaves = nullptr;
  ICmpInst *m_again = nullptr, *m_test = nullptr; // whether a work-item follows; the guard
  Value* m_factor = nullptr;
  bool m_passes_on_true = true;
  CmpInst::Predicate m_passes = CmpInst::BAD_ICMP_PREDICATE; // of m_test, for the work-items that pass
};

} // namespace

bool end_at_last_passing(Function& group) {
  const DominatorTree dominators(group);
  const LoopInfo loops(dominators);
  bool any = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop)) continue;
    guarded_lanes lanes(*loop);
    if (lanes.find() && (lanes.end_after_leader() || (loop->isInnermost() && lanes.end_at_guard())))
      any = true;
  }
  return any;
}

} // namespace prism::compiler
