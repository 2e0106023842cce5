#include "compiler/workgroup/inner_once.hpp"

#include <functional>
#include <optional>

#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "compiler/workgroup/loop_interchange.hpp"
#include "compiler/workgroup/loop_version.hpp"
#include "compiler/workgroup/single_iteration.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr unsigned most_versions = 4; // of a kernel; each takes a run of the analyses
/// Metadata at the jump back of a loop and of its copy.
constexpr const char* version_name = "prism.inner_once";

/// `do ... while ((counter += step) < bound)`
struct stepping {
  PHINode* counter;
  BinaryOperator* next;
  Value *step, *bound;
  bool is_signed;
  /// A greater sum than the type holds would be undefined behaviour.
  bool has_no_overflow() const { return is_signed ? next->hasNoSignedWrap() : next->hasNoUnsignedWrap(); }
};

std::optional<stepping> stepping_of(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  auto* back =
      latch && loop.getExitingBlock() == latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  auto* test = back && back->isConditional() ? dyn_cast<ICmpInst>(back->getCondition()) : nullptr;
  if (!test) return std::nullopt;
  CmpInst::Predicate goes_on = test->getPredicate();
  if (back->getSuccessor(0) != loop.getHeader()) goes_on = CmpInst::getInversePredicate(goes_on);
  Value *left = test->getOperand(0), *right = test->getOperand(1);
  if (goes_on == CmpInst::ICMP_SGT || goes_on == CmpInst::ICMP_UGT) {
    std::swap(left, right);
    goes_on = CmpInst::getSwappedPredicate(goes_on);
  }
  auto* next = dyn_cast<BinaryOperator>(left);
  if ((goes_on != CmpInst::ICMP_SLT && goes_on != CmpInst::ICMP_ULT) || !next ||
      next->getOpcode() != Instruction::Add || !loop.isLoopInvariant(right))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    auto* counter = dyn_cast<PHINode>(next->getOperand(side));
    Value* step = next->getOperand(1 - side);
    if (counter && counter->getParent() == loop.getHeader() &&
        counter->getIncomingValueForBlock(latch) == next && loop.isLoopInvariant(step))
      return stepping{counter, next, step, right, goes_on == CmpInst::ICMP_SLT};
  }
  return std::nullopt;
}

/// Loops with a constant step, such as those over parts of a row, execute often. Those strided by groups have
/// copies of their own (single_iteration.hpp).
bool may_execute_once(const Loop& loop) {
  const auto found = stepping_of(loop);
  return found && !isa<Constant>(found->step) && !is_strided_by_groups(loop);
}

bool has_only_loops_that_may_execute_once(const Loop& loop) {
  const auto inner = loop.getLoopsInPreorder();
  return inner.size() > 1 &&
         all_of(drop_begin(inner), [](const Loop* each) { return may_execute_once(*each); });
}

class nest_copier {
public:
  explicit nest_copier(Function& kernel) : m_kernel(kernel), m_facts(kernel), m_uniform(kernel) {}

  /// Copies one loop.
  bool run() {
    for (Loop* loop : m_facts.loops.getLoopsInPreorder())
      if (!has_inner_once(*loop) && has_only_loops_that_may_execute_once(*loop) && may_copy_loop(*loop) &&
          would_interchange(m_kernel, m_facts, m_uniform, *loop) && copy(*loop))
        return true;
    return false;
  }

private:
  using condition = std::function<Value*(IRBuilder<>&)>;

  bool copy(Loop& outer) {
    Instruction& place = *outer.getLoopPreheader()->getTerminator();
    first_iteration early(m_kernel, m_facts.dominators, place);
    m_conditions.clear();
    const auto loops = outer.getLoopsInPreorder();
    const auto inner = drop_begin(loops);
    if (!all_of(inner, [&](Loop* each) { return executes_once(*each, outer, early); })) {
      early.remove();
      return false;
    }
    IRBuilder<> build(&place);
    Value* all = build.getTrue();
    for (const condition& each : m_conditions) all = build.CreateAnd(all, each(build));
    outer.getLoopLatch()->getTerminator()->setMetadata(version_name, MDNode::get(m_kernel.getContext(), {}));
    loop_version version(outer, *all, m_facts, ".inner_once");
    for (Loop* loop : inner) version.end_after_first(*loop);
    return true;
  }

  /// Adds the conditions under which the loop executes once in each iteration of the outer loop. False if
  /// they cannot be computed before the outer loop.
  bool executes_once(Loop& loop, Loop& outer, first_iteration& early) {
    const stepping how = *stepping_of(loop);
    Value *step = before(*how.step, loop, early), *bound = before(*how.bound, loop, early);
    if (!step || !bound) return false;
    const bool is_signed = how.is_signed;
    m_conditions.push_back([=](IRBuilder<>& build) {
      return build.CreateICmp(is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, bound, step);
    });
    Value& start = *how.counter->getIncomingValueForBlock(loop.getLoopPreheader());
    if (is_signed && !is_not_negative(start, loop, outer, early)) return false;
    if (how.has_no_overflow()) return true;
    // The start is less than the bound.
    add_no_overflow(*bound, *step, is_signed);
    return m_facts.evolution.isLoopEntryGuardedByCond(
        &loop, is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, m_facts.evolution.getSCEV(&start),
        m_facts.evolution.getSCEV(how.bound));
  }

  /// The value of an instruction outside of `loop`, which is the same for all work-items; null if it differs
  /// between iterations of the outer loop.
  Value* before(Value& value, const Loop& loop, first_iteration& early) const {
    auto* instruction = dyn_cast<Instruction>(&value);
    return !instruction || m_uniform.is_uniform(*instruction) ? early.of(value, loop) : nullptr;
  }

  /// Whether the start of an inner loop is never less than 0, or is not under conditions that are added.
  bool is_not_negative(Value& value, const Loop& loop, const Loop& outer, first_iteration& early) {
    Value* wide = nullptr;
    if (match(&value, m_ZExt(m_Value()))) return true;
    if (match(&value, m_SExt(m_Value(wide)))) return is_not_negative(*wide, loop, outer, early);
    if (m_facts.evolution.isKnownNonNegative(m_facts.evolution.getSCEV(&value))) return true;
    auto* phi = dyn_cast<PHINode>(&value);
    const Loop* of = phi ? m_facts.loops.getLoopFor(phi->getParent()) : nullptr;
    if (of && outer.contains(of) && of->getHeader() == phi->getParent()) {
      Value& start = *phi->getIncomingValueForBlock(of->getLoopPreheader());
      if (!is_not_negative(start, loop, outer, early)) return false;
      return of != &outer || rises(*phi, start, outer, early);
    }
    Value* const known = before(value, loop, early);
    if (!known) return false;
    m_conditions.push_back([=](IRBuilder<>& build) {
      return build.CreateICmpSGE(known, ConstantInt::get(known->getType(), 0));
    });
    return true;
  }

  /// Whether a counter of the outer loop counts up without a wrap-around, under conditions that are added.
  bool rises(const PHINode& counter, Value& start, const Loop& outer, first_iteration& early) {
    const auto how = stepping_of(outer);
    if (!how || how->counter != &counter || !how->is_signed) return false;
    Value *step = before(*how->step, outer, early), *bound = before(*how->bound, outer, early);
    if (!step || !bound) return false;
    m_conditions.push_back(
        [=](IRBuilder<>& build) { return build.CreateICmpSGE(step, ConstantInt::get(step->getType(), 0)); });
    if (how->has_no_overflow()) return true;
    add_no_overflow(start, *step, true);
    add_no_overflow(*bound, *step, true);
    return true;
  }

  /// Adds the condition that values from 0 up to `greatest` + a `step` from 0 do not wrap around.
  void add_no_overflow(Value& greatest, Value& step, bool is_signed) {
    m_conditions.push_back([=, &greatest, &step](IRBuilder<>& build) {
      Type* const type = step.getType();
      if (!is_signed) return build.CreateICmpULE(&step, build.CreateNot(&greatest));
      Value* const zero = ConstantInt::get(type, 0);
      Value* const from = build.CreateSelect(build.CreateICmpSGE(&greatest, zero), &greatest, zero);
      Value* const most = ConstantInt::get(type, APInt::getSignedMaxValue(type->getIntegerBitWidth()));
      return build.CreateICmpSLE(&step, build.CreateSub(most, from));
    });
  }

  Function& m_kernel;
  loop_facts m_facts;
  uniform_values m_uniform;
  SmallVector<condition> m_conditions;
};

} // namespace

bool may_have_inner_once(Function& kernel) {
  DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  return any_of(loops.getLoopsInPreorder(),
                [](const Loop* each) { return has_only_loops_that_may_execute_once(*each); });
}

bool copy_inner_once(Function& kernel) {
  unsigned versions = 0;
  while (versions < most_versions && nest_copier(kernel).run()) ++versions;
  return versions != 0;
}

bool has_inner_once(const Loop& loop) {
  const BasicBlock* latch = loop.getLoopLatch();
  return latch && latch->getTerminator()->hasMetadata(version_name);
}

} // namespace prism::compiler
