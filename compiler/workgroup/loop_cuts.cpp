#include "compiler/workgroup/loop_cuts.hpp"

#include <optional>

#include "compiler/workgroup/full_rounds.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/workgroup/narrow_counters.hpp"
#include "compiler/workgroup/whole_guards.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::int64_t cache_line = 64; // bytes; what lies within one is near
constexpr unsigned most_carried = 32;   // values that a work-item takes from round to round: they go through
                                        // memory then, and a tile of a matrix does not
constexpr unsigned most_loops = 16; // of a kernel, split-off parts counted; each costs a copy of the analyses

using candidate = group_loop;

class judge {
public:
  explicit judge(Function& kernel)
      : m_kernel(kernel), m_facts(kernel), m_uniform(kernel), m_divergent(m_uniform.passed_by_some(kernel)) {}

  /// The first loop that is to be cut: by a call alone when all work-items take the same rounds (no guard is
  /// set then).
  std::optional<candidate> find(const DenseSet<BasicBlock*>& done) {
    for (Loop* loop : m_facts.loops.getLoopsInPreorder()) {
      candidate found{loop,
                      loop->getLoopPreheader(),
                      loop->getHeader(),
                      loop->getLoopLatch(),
                      loop->getUniqueExitBlock(),
                      nullptr,
                      {}};
      if (!loop->isInnermost() || done.contains(found.header) || !found.preheader || !found.latch ||
          !found.exit)
        continue;
      if (loop->getExitingBlock() != found.latch || hasNItemsOrMore(found.header->phis(), most_carried + 1) ||
          !accesses_neighbours(*loop))
        continue;
      find_counters(found);
      if (!m_divergent.contains(found.header) && m_uniform.branches_uniformly(*found.latch)) return found;
      if (set_guard(found)) return found;
    }
    return std::nullopt;
  }

  /// Before the loop is cut.
  BasicBlock* split_off_full_rounds(candidate& found) {
    return split_full_rounds(found, m_facts.evolution, m_uniform);
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

  /// A loop that work-items pass by or leave at different rounds, if only a few apart: they count by the same
  /// step up to the same bound.
  bool set_guard(candidate& found) {
    auto* back = dyn_cast<BranchInst>(found.latch->getTerminator());
    auto* test = back && back->isConditional() ? dyn_cast<ICmpInst>(back->getCondition()) : nullptr;
    if (!test || !test->hasOneUse()) return false;
    const auto counts = [&](const Value* value) {
      return any_of(found.counters, [&](const candidate::counter& each) {
        return each.phi->getIncomingValueForBlock(found.latch) == value || each.phi == value;
      });
    };
    const auto bound = [&](const Value* value) {
      return found.loop->isLoopInvariant(value) && is_same_for_all(*value);
    };
    const Value *left = test->getOperand(0), *right = test->getOperand(1);
    if (!(counts(left) && bound(right)) && !(counts(right) && bound(left))) return false;
    BasicBlock* before = found.preheader->getSinglePredecessor();
    auto* guard = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!guard || !guard->isConditional() || m_divergent.contains(before)) return false;
    BasicBlock* past = guard->getSuccessor(guard->getSuccessor(0) == found.preheader);
    if (past == found.preheader || isa<PHINode>(found.preheader->front()) ||
        asks_for_one(found, *guard->getCondition()))
      return false;
    for (Instruction& instruction : *found.preheader) // it will run for those too that pass by
      if (!instruction.isTerminator() && !isSafeToSpeculativelyExecute(&instruction) &&
          !reads_captured(instruction) && !is_query(instruction))
        return false;
    found.guard = guard;
    return true;
  }

  /// `if (local id == 0)`: the group would take the rounds of one work-item together.
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

  /// A load from the captured block, which is there for every work-item; only its alignment is not known
  /// here.
  bool reads_captured(const Instruction& instruction) const {
    auto* load = dyn_cast<LoadInst>(&instruction);
    return load && !load->isVolatile() && isa<Argument>(getUnderlyingObject(load->getPointerOperand())) &&
           isDereferenceableAndAlignedPointer(load->getPointerOperand(), load->getType(), Align(1),
                                              m_kernel.getParent()->getDataLayout());
  }

  /// Atomic changes and gathered values may be anywhere, as of a histogram, if what neighbours access besides
  /// lies side by side.
  bool accesses_neighbours(Loop& loop) {
    bool side_by_side = false, changes_atomically = false, any_far = false;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block) {
        if (auto* call = dyn_cast<CallInst>(&instruction);
            call && !isa<IntrinsicInst>(call) && (!call->doesNotAccessMemory() || call->isConvergent()))
          return false;
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
        const auto step = step_in_x(place);
        if (step && std::abs(*step) <= cache_line) side_by_side |= *step != 0;
        else if (stays_near(place, loop)) return false;
        else any_far = true;
      }
    return side_by_side || !(changes_atomically || any_far);
  }

  /// Whether a work-item finds the memory of its next round beside that of this one: then its rounds belong
  /// together.
  bool stays_near(const SCEV* place, const Loop& loop) {
    auto* recurrence = dyn_cast<SCEVAddRecExpr>(place);
    if (!recurrence) return m_facts.evolution.isLoopInvariant(place, &loop);
    if (recurrence->getLoop() != &loop) return true;
    auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(m_facts.evolution));
    return step && step->getAPInt().abs().ule(cache_line);
  }

  /// Of ids and sizes, say, which every work-item may ask at any time.
  static bool is_query(const Instruction& instruction) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->doesNotAccessMemory() && callee->getName().starts_with("__prism_");
  }

  /// How far the places of neighbours in x are apart; nothing when that is no constant.
  std::optional<std::int64_t> step_in_x(const SCEV* place) {
    if (auto* unknown = dyn_cast<SCEVUnknown>(place)) {
      auto* call = dyn_cast<CallInst>(unknown->getValue());
      if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_local_id")
        return cast<ConstantInt>(call->getArgOperand(0))->isZero() ? 1 : 0;
      return is_same_for_all(*unknown->getValue()) ? std::optional<std::int64_t>(0) : std::nullopt;
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
        else factor = 0; // a factor that is not known: right only if nothing depends on x
      }
      if (step != 0 && factor == 0) return std::nullopt;
      return step * factor;
    }
    if (auto* cast = dyn_cast<SCEVCastExpr>(place))
      return step_in_x(cast->getOperand());    // where nothing wraps around
    for (const SCEV* part : place->operands()) // a quotient, the least or the greatest of several
      if (step_in_x(part) != 0) return std::nullopt;
    return 0;
  }

  Function& m_kernel;
  loop_facts m_facts;
  uniform_values m_uniform;
  DenseSet<BasicBlock*> m_divergent;
};

CallInst* call_round(IRBuilder<>& build, Value* runs) {
  FunctionCallee callee = build.GetInsertBlock()->getModule()->getOrInsertFunction(
      round_name, FunctionType::get(build.getInt32Ty(), {build.getInt1Ty()}, false));
  cast<Function>(callee.getCallee())->addFnAttr(Attribute::Convergent);
  return build.CreateCall(callee, {runs});
}

/// Counters become start + round x step behind the cut, so that they need not be kept. `entry`: where rounds
/// start.
class counters {
public:
  counters(BasicBlock* rounds, BasicBlock* entry, BasicBlock* back)
      : m_rounds(rounds), m_entry(entry), m_back(back) {}

  Value* at(IRBuilder<>& build, Value* start, Value* step) {
    Type* type = start->getType();
    PHINode*& round = m_round[type];
    if (!round) {
      round = PHINode::Create(type, 2, "round", m_rounds->begin());
      round->addIncoming(ConstantInt::get(type, 0), m_entry);
      IRBuilder<> next(m_back->getTerminator());
      round->addIncoming(next.CreateAdd(round, ConstantInt::get(type, 1)), m_back);
    }
    return build.CreateAdd(start, build.CreateMul(round, step));
  }

private:
  BasicBlock *m_rounds, *m_entry, *m_back;
  DenseMap<Type*, PHINode*> m_round;
};

bool is_used_outside(const Value& value, const Loop& loop) {
  return any_of(value.users(), [&](const User* user) { return !loop.contains(cast<Instruction>(user)); });
}

/// All work-items take the same rounds: a cut at the head is all.
void cut_uniform_loop(const candidate& found) {
  IRBuilder<> build(&*found.header->getFirstInsertionPt());
  call_round(build, build.getTrue());
  counters count(found.header, found.preheader, found.latch);
  for (const candidate::counter& each : found.counters) {
    if (is_used_outside(*each.phi, *found.loop)) continue;
    Value* start = each.phi->getIncomingValueForBlock(found.preheader);
    if (isa<Constant>(start)) continue; // the same for all: kept once as it is
    each.phi->replaceAllUsesWith(count.at(build, start, each.step));
    each.phi->eraseFromParent();
  }
}

/// before -> rounds: does anyone run? -> mine: do I? -> header ... latch -> joined -> rounds; in the end ->
/// left -> exit, or past the loop for those that never ran.
void cut_guarded_loop(const candidate& found) {
  Function& kernel = *found.header->getParent();
  LLVMContext& context = kernel.getContext();
  const auto block = [&](const char* name) {
    return BasicBlock::Create(context, name, &kernel, found.header);
  };
  BasicBlock *before = found.guard->getParent(), *rounds = block("rounds"), *mine = block("mine"),
             *joined = block("joined"), *left = block("left");
  const bool enters_on_true = found.guard->getSuccessor(0) == found.preheader;
  BasicBlock* past = found.guard->getSuccessor(enters_on_true ? 1 : 0);
  auto* back = cast<BranchInst>(found.latch->getTerminator());
  Value* goes_on = back->getCondition();
  for (Instruction& instruction : make_early_inc_range(*found.preheader))
    if (!instruction.isTerminator())
      instruction.moveBefore(*found.guard->getParent(), found.guard->getIterator());
  IRBuilder<> build(found.guard);
  Value* enters = enters_on_true ? found.guard->getCondition() : build.CreateNot(found.guard->getCondition());
  build.SetInsertPoint(back);
  if (back->getSuccessor(0) != found.header) goes_on = build.CreateNot(goes_on);
  build.CreateBr(joined);
  IRBuilder<>(joined).CreateBr(rounds);

  IRBuilder<> head(rounds), run(mine);
  PHINode* runs = head.CreatePHI(head.getInt1Ty(), 2, "runs");
  const auto carry = [&](Value* start, Value* next) { // a value of the work-item from round to round
    PHINode* now = PHINode::Create(start->getType(), 2, "", rounds->begin());
    PHINode* merged = PHINode::Create(start->getType(), 2, "", joined->begin());
    merged->addIncoming(next, found.latch);
    merged->addIncoming(now, mine);
    now->addIncoming(start, before);
    now->addIncoming(merged, joined);
    return now;
  };
  counters count(rounds, before, joined);
  DenseMap<Value*, Value*> after; // values of the last round
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
  PHINode* merged = PHINode::Create(runs->getType(), 2, "", joined->begin());
  merged->addIncoming(goes_on, found.latch);
  merged->addIncoming(head.getFalse(), mine);
  runs->addIncoming(enters, before);
  runs->addIncoming(merged, joined);
  CallInst* who = call_round(head, runs);
  head.CreateCondBr(head.CreateICmpNE(who, head.getInt32(0)), mine, left);
  // Nearly always all run: LLVM makes that a loop without a question of each work-item.
  run.CreateCondBr(run.CreateOr(run.CreateICmpEQ(who, run.getInt32(3)), runs), found.header, joined);
  IRBuilder<>(left).CreateCondBr(enters, found.exit, past);
  past->replacePhiUsesWith(before, left);
  back->eraseFromParent();
  build.SetInsertPoint(found.guard);
  build.CreateBr(rounds);
  found.guard->eraseFromParent();
  found.preheader->eraseFromParent();
}

} // namespace

bool cut_loops(Function& kernel) {
  narrow_counters(kernel);
  DenseSet<BasicBlock*> done, split; // headers
  for (unsigned i = 0; i < most_loops; ++i) {
    std::optional<candidate> found;
    {
      judge judges(kernel);
      found = judges.find(done);
      if (!found) return i != 0;
      done.insert(found->header);
      const bool is_rare = found->latch->getTerminator()->hasMetadata(some_pass_name);
      BasicBlock* full =
          is_rare || split.contains(found->header) ? nullptr : judges.split_off_full_rounds(*found);
      if (full) split.insert(full);
      if (found->guard) cut_guarded_loop(*found);
      else cut_uniform_loop(*found);
    }
  }
  return true;
}

} // namespace prism::compiler
