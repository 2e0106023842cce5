#include "compiler/workgroup/loop_interchange.hpp"

#include <optional>

#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/workgroup/common_iterations.hpp"
#include "compiler/workgroup/hoist_divisions.hpp"
#include "compiler/workgroup/whole_guards.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr std::int64_t cache_line = 64; // bytes; accesses within one cache line are near
/// The most values that a work-item may pass from one iteration to the next. They go through memory after the
/// interchange, which would be slow for a tile of a matrix.
constexpr unsigned most_carried = 32;
/// The most instructions of a loop that is interchanged for accesses at remainders of ids.
constexpr std::size_t most_by_rows = 50;
// of a kernel, including split-off loops; each takes a run of the analyses
constexpr unsigned most_loops = 16;

using candidate = group_loop;

std::size_t instructions_in(const Loop& loop) {
  std::size_t count = 0;
  for (const BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

class judge {
public:
  judge(Function& kernel, loop_facts& facts, const uniform_values& uniform)
      : m_kernel(kernel), m_facts(facts), m_uniform(uniform), m_divergent(uniform.passed_by_some(kernel)) {}

  /// The first loop to interchange. If all work-items execute the same iterations, there is no guard, and a
  /// call in the loop suffices.
  std::optional<candidate> find(const DenseSet<BasicBlock*>& done) {
    for (Loop* loop : m_facts.loops.getLoopsInPreorder()) {
      candidate found{loop,
                      loop->getLoopPreheader(),
                      loop->getHeader(),
                      loop->getLoopLatch(),
                      loop->getUniqueExitBlock(),
                      nullptr,
                      {}};
      const bool is_outer = turns_inside(*loop);
      if (!(loop->isInnermost() || is_outer) || done.contains(found.header) || !may_turn(*loop)) continue;
      find_counters(found);
      if (executes_for_all(*loop) ? !is_outer : set_guard(found)) return found;
    }
    return std::nullopt;
  }

  bool may_turn(Loop& loop) {
    return loop.getLoopPreheader() && loop.getUniqueExitBlock() && loop.getLoopLatch() &&
           loop.getExitingBlock() == loop.getLoopLatch() &&
           !hasNItemsOrMore(loop.getHeader()->phis(), most_carried + 1) && accesses_neighbours(loop);
  }

  /// Whether the loop has inner loops, and they would be interchanged if all work-items executed each
  /// iteration of it: as many times by each of them, with accesses of neighbours or none.
  bool turns_inside(const Loop& loop) {
    return !loop.isInnermost() && all_of(loop.getSubLoops(), [&](Loop* inner) {
      const SCEV* back = m_facts.evolution.getBackedgeTakenCount(inner);
      return inner->isInnermost() && !isa<SCEVCouldNotCompute>(back) &&
             m_facts.evolution.isLoopInvariant(back, &loop) && step_in_x(back) == 0 && may_turn(*inner);
    });
  }

  /// All work-items execute the same iterations.
  bool executes_for_all(const Loop& loop) const {
    return !m_divergent.contains(loop.getHeader()) && m_uniform.branches_uniformly(*loop.getLoopLatch());
  }

  /// Must precede the interchange.
  BasicBlock* split_off_common_iterations(candidate& found) {
    return split_common_iterations(found, m_facts.evolution, m_uniform);
  }

private:
  bool is_same_for_all(const Value& value) {
    auto* instruction = dyn_cast<Instruction>(&value);
    return !instruction || m_uniform.is_uniform(*instruction);
  }

  void find_counters(candidate& found) {
    for (PHINode& phi : found.header->phis()) {
      auto* next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(found.latch));
      if (!next || next->getOpcode() != Instruction::Add) continue;
      Value* step = next->getOperand(0) == &phi   ? next->getOperand(1)
                    : next->getOperand(1) == &phi ? next->getOperand(0)
                                                  : nullptr;
      if (step && step != &phi && found.loop->isLoopInvariant(step) && is_same_for_all(*step))
        found.counters.push_back({&phi, step});
    }
  }

  /// Whether the numbers up to which work-items count are the same, or differ as their ids do; also the least
  /// of two such numbers.
  bool ends_nearly_together(Value* bound) {
    Value *one, *other;
    if (is_same_for_all(*bound)) return true;
    if (match(bound, m_SMin(m_Value(one), m_Value(other))) ||
        match(bound, m_UMin(m_Value(one), m_Value(other))))
      return ends_nearly_together(one) && ends_nearly_together(other);
    const auto step = step_in_x(m_facts.evolution.getSCEV(bound));
    return step && std::abs(*step) <= cache_line;
  }

  /// A loop that work-items skip or leave in different iterations, which may differ by a few only: they count
  /// by the same step up to nearly the same bound.
  bool set_guard(candidate& found) {
    auto* back = dyn_cast<BranchInst>(found.latch->getTerminator());
    auto* test = back && back->isConditional() ? dyn_cast<ICmpInst>(back->getCondition()) : nullptr;
    if (!test || !test->hasOneUse()) return false;
    const auto counts = [&](const Value* value) {
      return any_of(found.counters, [&](const candidate::counter& each) {
        return each.phi->getIncomingValueForBlock(found.latch) == value || each.phi == value;
      });
    };
    const auto bound = [&](Value* value) {
      return found.loop->isLoopInvariant(value) && ends_nearly_together(value);
    };
    Value *left = test->getOperand(0), *right = test->getOperand(1);
    if (!(counts(left) && bound(right)) && !(counts(right) && bound(left))) return false;
    BasicBlock* before = found.preheader->getSinglePredecessor();
    auto* guard = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!guard || !guard->isConditional() || m_divergent.contains(before)) return false;
    BasicBlock* past = guard->getSuccessor(guard->getSuccessor(0) == found.preheader);
    if (past == found.preheader || isa<PHINode>(found.preheader->front()) ||
        asks_for_one(found, *guard->getCondition()))
      return false;
    for (Instruction& instruction : *found.preheader) // it will execute also for those that skip the loop
      if (!instruction.isTerminator() && !isSafeToSpeculativelyExecute(&instruction) &&
          !reads_captured(instruction, m_kernel) && !is_query(instruction) && !instruction.isIntDivRem())
        return false;
    found.guard = guard;
    return true;
  }

  /// `if (local id == 0)`: the group would execute the iterations of one work-item together.
  bool asks_for_one(const candidate& found, const Value& condition) const {
    auto* test = dyn_cast<ICmpInst>(&condition);
    const auto counts = [&](const Value* value) {
      return any_of(found.counters, [&](const candidate::counter& each) {
        return each.phi->getIncomingValueForBlock(found.preheader) == value;
      });
    };
    return test && test->isEquality() && none_of(test->operands(), [&](const Use& side) {
      return !isa<Constant>(side.get()) && counts(side.get());
    });
  }

  /// Atomic operations and gathered loads, as in a histogram, may access any location, if adjacent
  /// work-items' other accesses are adjacent. Accesses at remainders of ids become vectors only where
  /// row_strips.hpp copies the loop: not a large one. Mathematical functions that become vectors are worth
  /// accesses anywhere.
  bool accesses_neighbours(Loop& loop) {
    bool side_by_side = false, changes_atomically = false, any_far = false, any_by_rows = false,
         computes = false;
    const bool is_large = instructions_in(loop) > most_by_rows;
    for (BasicBlock* block : loop.blocks()) {
      if (m_facts.loops.getLoopFor(block) != &loop) continue; // of an inner one
      for (Instruction& instruction : *block) {
        if (auto* call = dyn_cast<CallInst>(&instruction);
            call && !isa<IntrinsicInst>(call) && (!call->doesNotAccessMemory() || call->isConvergent()))
          return false;
        else if (call && call->hasFnAttr(vector_function_mark)) computes = true;
        if (!instruction.mayReadOrWriteMemory()) continue;
        if (isa<AtomicRMWInst>(instruction) && !instruction.isVolatile()) {
          changes_atomically = true;
          continue;
        }
        if (!isa<LoadInst, StoreInst>(instruction) || instruction.isAtomic() || instruction.isVolatile())
          return false;
        if (instruction.hasMetadata(LLVMContext::MD_invariant_load)) continue;
        const Value* pointer = getLoadStorePointerOperand(&instruction);
        if (isa<AllocaInst>(getUnderlyingObject(pointer, 0))) return false;
        const SCEV* place = m_facts.evolution.getSCEV(const_cast<Value*>(pointer));
        m_divides = false;
        const auto step = step_in_x(place);
        const bool by_rows = is_large && m_divides;
        if (step && std::abs(*step) <= cache_line) (by_rows ? any_far : side_by_side) |= *step != 0;
        else (stays_near(place, loop) ? any_by_rows : any_far) = true;
      }
    }
    if (computes) return true;
    return !any_by_rows && (side_by_side || !(changes_atomically || any_far));
  }

  /// Whether a work-item's memory of the next iteration is near that of this one. Its iterations should then
  /// stay together.
  bool stays_near(const SCEV* place, const Loop& loop) {
    auto* recurrence = dyn_cast<SCEVAddRecExpr>(place);
    if (!recurrence) return m_facts.evolution.isLoopInvariant(place, &loop);
    if (recurrence->getLoop() != &loop) // a loop in it executes once
      return !loop.contains(recurrence->getLoop()) || stays_near(recurrence->getStart(), loop);
    auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(m_facts.evolution));
    return step && step->getAPInt().abs().ule(cache_line);
  }

  /// Whether a number divided by it has long rows of equal quotients: `id / width`.
  bool divides_into_rows(const SCEV& divisor) {
    constexpr std::uint64_t least = 8;
    if (auto* constant = dyn_cast<SCEVConstant>(&divisor)) return constant->getAPInt().abs().uge(least);
    return step_in_x(&divisor) == 0; // not known: it would hardly be a variable if it were small
  }

  /// `id % width` counts like the id but for the ends of rows, and `id / width` is the same but there.
  std::optional<std::int64_t> step_of_division(Value& value) {
    if (auto* choice = dyn_cast<SelectInst>(&value); choice && is_same_for_all(*choice->getCondition()))
      return step_in_x(m_facts.evolution.getSCEV(choice->getFalseValue())); // divide_for_all
    auto* operation = dyn_cast<BinaryOperator>(&value);
    if (!operation || !divides_into_rows(*m_facts.evolution.getSCEV(operation->getOperand(1))))
      return std::nullopt;
    m_divides = true;
    const auto step = step_in_x(m_facts.evolution.getSCEV(operation->getOperand(0)));
    switch (operation->getOpcode()) {
      case Instruction::URem:
      case Instruction::SRem: return step;
      case Instruction::UDiv:
      case Instruction::SDiv: return step ? std::optional<std::int64_t>(0) : std::nullopt;
      default: return std::nullopt;
    }
  }

  /// The distance between the addresses of work-items that are adjacent in x, but for ends of rows; empty if
  /// it is not constant.
  std::optional<std::int64_t> step_in_x(const SCEV* place) {
    if (auto* unknown = dyn_cast<SCEVUnknown>(place)) {
      auto* call = dyn_cast<CallInst>(unknown->getValue());
      if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_local_id")
        return cast<ConstantInt>(call->getArgOperand(0))->isZero() ? 1 : 0;
      if (is_same_for_all(*unknown->getValue())) return 0;
      if (auto* frozen = dyn_cast<FreezeInst>(unknown->getValue()))
        return step_in_x(m_facts.evolution.getSCEV(frozen->getOperand(0)));
      return step_of_division(*unknown->getValue());
    }
    if (auto* quotient = dyn_cast<SCEVUDivExpr>(place); quotient && divides_into_rows(*quotient->getRHS())) {
      m_divides = true;
      return step_in_x(quotient->getLHS()) ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    if (isa<SCEVConstant>(place)) return 0;
    if (auto* recurrence = dyn_cast<SCEVAddRecExpr>(place)) {
      const auto step = step_in_x(recurrence->getStepRecurrence(m_facts.evolution));
      return step && *step == 0 ? step_in_x(recurrence->getStart()) : std::nullopt;
    }
    if (auto* sum = dyn_cast<SCEVAddExpr>(place)) {
      std::int64_t total = 0;
      for (const SCEV* part : sum->operands()) {
        const auto step = step_in_x(part);
        if (!step) return std::nullopt;
        total += *step;
      }
      return total;
    }
    if (auto* product = dyn_cast<SCEVMulExpr>(place)) {
      std::int64_t factor = 1, step = 0;
      for (const SCEV* part : product->operands()) {
        const auto inner = step_in_x(part);
        if (!inner || (*inner != 0 && step != 0)) return std::nullopt;
        if (*inner != 0) step = *inner;
        else if (auto* constant = dyn_cast<SCEVConstant>(part)) factor *= constant->getAPInt().getSExtValue();
        else factor = 0; // an unknown factor: correct only if nothing depends on x
      }
      if (step != 0 && factor == 0) return std::nullopt;
      return step * factor;
    }
    if (auto* cast = dyn_cast<SCEVCastExpr>(place))
      return step_in_x(cast->getOperand());    // correct without wrap-around
    for (const SCEV* part : place->operands()) // a quotient, a minimum or a maximum
      if (step_in_x(part) != 0) return std::nullopt;
    return 0;
  }

  Function& m_kernel;
  loop_facts& m_facts;
  const uniform_values& m_uniform;
  DenseSet<BasicBlock*> m_divergent;
  bool m_divides = false; // the step that was computed last comes from a division of an id
};

/// Counters become start + iteration x step after the synchronization point, so that they need not be stored.
/// `entry`: the block before the first iteration.
class counters {
public:
  counters(BasicBlock* iterations, BasicBlock* entry, BasicBlock* back)
      : m_iterations(iterations), m_entry(entry), m_back(back) {}

  Value* at(IRBuilder<>& build, Value* start, Value* step) {
    Type* type = start->getType();
    PHINode*& iteration = m_iteration[type];
    if (!iteration) {
      iteration = PHINode::Create(type, 2, "iteration", m_iterations->begin());
      iteration->addIncoming(ConstantInt::get(type, 0), m_entry);
      IRBuilder<> next(m_back->getTerminator());
      iteration->addIncoming(next.CreateAdd(iteration, ConstantInt::get(type, 1)), m_back);
    }
    return build.CreateAdd(start, build.CreateMul(iteration, step));
  }

private:
  BasicBlock *m_iterations, *m_entry, *m_back;
  DenseMap<Type*, PHINode*> m_iteration;
};

bool is_used_outside(const Value& value, const Loop& loop) {
  return any_of(value.users(), [&](const User* user) { return !loop.contains(cast<Instruction>(user)); });
}

/// All work-items execute the same iterations: a synchronization point at the head suffices.
void interchange_uniform_loop(const candidate& found) {
  IRBuilder<> build(&*found.header->getFirstInsertionPt());
  call_group_any(build, build.getTrue());
  counters count(found.header, found.preheader, found.latch);
  for (const candidate::counter& each : found.counters) {
    if (is_used_outside(*each.phi, *found.loop)) continue;
    Value* start = each.phi->getIncomingValueForBlock(found.preheader);
    if (isa<Constant>(start)) continue; // the same for all: stored once as it is
    each.phi->replaceAllUsesWith(count.at(build, start, each.step));
    each.phi->eraseFromParent();
  }
}

/// before -> iterations: does any work-item continue? -> mine: does this one? -> header ... latch ->
/// latch_of_all
/// -> iterations. At the end -> left -> exit, or past the loop for work-items that skipped it.
void interchange_guarded_loop(const candidate& found) {
  Function& kernel = *found.header->getParent();
  LLVMContext& context = kernel.getContext();
  const auto block = [&](const char* name) {
    return BasicBlock::Create(context, name, &kernel, found.header);
  };
  BasicBlock *before = found.guard->getParent(), *iterations = block("iterations"), *mine = block("mine"),
             *latch_of_all = block("latch_of_all"), *left = block("left");
  const bool enters_on_true = found.guard->getSuccessor(0) == found.preheader;
  BasicBlock* past = found.guard->getSuccessor(enters_on_true ? 1 : 0);
  auto* back = cast<BranchInst>(found.latch->getTerminator());
  Value* goes_on = back->getCondition();
  for (Instruction& instruction : *found.preheader)
    if (instruction.isIntDivRem() && !isSafeToSpeculativelyExecute(&instruction)) divide_for_all(instruction);
  for (Instruction& instruction : make_early_inc_range(*found.preheader))
    if (!instruction.isTerminator())
      instruction.moveBefore(*found.guard->getParent(), found.guard->getIterator());
  IRBuilder<> build(found.guard);
  Value* enters = enters_on_true ? found.guard->getCondition() : build.CreateNot(found.guard->getCondition());
  build.SetInsertPoint(back);
  if (back->getSuccessor(0) != found.header) goes_on = build.CreateNot(goes_on);
  build.CreateBr(latch_of_all);
  IRBuilder<>(latch_of_all).CreateBr(iterations);

  IRBuilder<> head(iterations), run(mine);
  PHINode* continues = head.CreatePHI(head.getInt1Ty(), 2, "runs");
  // a value that the work-item passes from one iteration to the next
  const auto carry = [&](Value* start, Value* next) {
    PHINode* now = PHINode::Create(start->getType(), 2, "", iterations->begin());
    PHINode* merged = PHINode::Create(start->getType(), 2, "", latch_of_all->begin());
    merged->addIncoming(next, found.latch);
    merged->addIncoming(now, mine);
    now->addIncoming(start, before);
    now->addIncoming(merged, latch_of_all);
    return now;
  };
  counters count(iterations, before, latch_of_all);
  DenseMap<Value*, Value*> after; // values of the last iteration
  SmallVector<PHINode*> phis;
  for (PHINode& phi : found.header->phis()) phis.push_back(&phi);
  for (PHINode* phi : phis) {
    Value *start = phi->getIncomingValueForBlock(found.preheader),
          *next = phi->getIncomingValueForBlock(found.latch);
    const auto* counter =
        find_if(found.counters, [&](const candidate::counter& each) { return each.phi == phi; });
    const bool counted = counter != found.counters.end() && !is_used_outside(*phi, *found.loop) &&
                         !is_used_outside(*next, *found.loop);
    Value* now = counted ? count.at(run, start, counter->step) : carry(start, next);
    if (!counted) after[next] = now;
    phi->replaceAllUsesWith(now);
    for (auto& [value, last] : after)
      if (last == phi) last = now;
  }
  for (PHINode& phi : make_early_inc_range(found.exit->phis())) {
    Value* value = phi.getIncomingValueForBlock(found.latch);
    Value*& last = after[value];
    if (!last) last = carry(Constant::getNullValue(value->getType()), value);
    phi.replaceAllUsesWith(last);
    phi.eraseFromParent();
  }
  for (PHINode* phi : phis) phi->eraseFromParent();
  PHINode* merged = PHINode::Create(continues->getType(), 2, "", latch_of_all->begin());
  merged->addIncoming(goes_on, found.latch);
  merged->addIncoming(head.getFalse(), mine);
  continues->addIncoming(enters, before);
  continues->addIncoming(merged, latch_of_all);
  CallInst* votes = call_group_any(head, continues);
  head.CreateCondBr(head.CreateICmpNE(votes, head.getInt32(0)), mine, left);
  // Nearly always all work-items continue. LLVM makes a loop without a check per work-item for that case.
  run.CreateCondBr(run.CreateOr(run.CreateICmpEQ(votes, run.getInt32(3)), continues), found.header,
                   latch_of_all);
  IRBuilder<>(left).CreateCondBr(enters, found.exit, past);
  past->replacePhiUsesWith(before, left);
  back->eraseFromParent();
  build.SetInsertPoint(found.guard);
  build.CreateBr(iterations);
  found.guard->eraseFromParent();
  found.preheader->eraseFromParent();
}

} // namespace

bool would_interchange(Function& kernel, loop_facts& facts, const uniform_values& uniform, Loop& loop) {
  judge judges(kernel, facts, uniform);
  return judges.may_turn(loop) && judges.executes_for_all(loop);
}

bool interchange_loops(Function& kernel) {
  DenseSet<BasicBlock*> done, split; // headers
  for (unsigned i = 0; i < most_loops; ++i) {
    std::optional<candidate> found;
    {
      loop_facts facts(kernel);
      const uniform_values uniform(kernel);
      judge judges(kernel, facts, uniform);
      found = judges.find(done);
      if (!found) return i != 0;
      done.insert(found->header);
      const bool is_rare = found->latch->getTerminator()->hasMetadata(some_pass_name);
      BasicBlock* full =
          is_rare || split.contains(found->header) ? nullptr : judges.split_off_common_iterations(*found);
      if (full) split.insert(full);
      if (!found->loop->isInnermost()) continue; // the inner loops of the common iterations follow
      if (found->guard) interchange_guarded_loop(*found);
      else interchange_uniform_loop(*found);
    }
  }
  return true;
}

} // namespace prism::compiler
