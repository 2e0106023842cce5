#include "compiler/workgroup/single_iteration.hpp"

#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "compiler/workgroup/group_range.hpp"
#include "compiler/workgroup/inner_once.hpp"
#include "compiler/workgroup/loop_version.hpp"
#include "compiler/workgroup/whole_guards.hpp"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// Metadata at the call that begins a copy.
constexpr const char* copy_name = "prism.single_iteration";

bool is_group_count(const Value& value) {
  auto* call = dyn_cast<CallInst>(&value);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "__prism_group_count";
}

bool depends_on_group_count(const Value& value, unsigned depth) {
  if (is_group_count(value)) return true;
  auto* instruction = dyn_cast<Instruction>(&value);
  return depth != 0 && instruction && !isa<PHINode, LoadInst>(instruction) &&
         any_of(instruction->operands(),
                [&](const Use& use) { return depends_on_group_count(*use, depth - 1); });
}

class copier {
public:
  explicit copier(Function& kernel)
      : m_kernel(kernel), m_facts(kernel), m_uniform(kernel), m_divergent(m_uniform.passed_by_some(kernel)) {}

  bool run() {
    SmallVector<Loop*> outermost;
    for (Loop* loop : m_facts.loops.getLoopsInPreorder())
      if (is_strided_by_groups(*loop) &&
          none_of(outermost, [&](Loop* each) { return each->contains(loop); }) && may_copy(*loop))
        outermost.push_back(loop);
    bool changed = false;
    for (Loop* loop : outermost) changed |= copy(*loop);
    return changed;
  }

private:
  /// The copy begins with a synchronization point, so the whole group must reach it.
  bool may_copy(const Loop& loop) const {
    return may_copy_loop(loop) && !has_inner_once(loop) && !m_divergent.contains(loop.getLoopPreheader());
  }

  bool is_same_for_all(Value& value) const {
    auto* instruction = dyn_cast<Instruction>(&value);
    return !instruction || m_uniform.is_uniform(*instruction);
  }

  bool copy(Loop& outer) {
    Instruction& place = *outer.getLoopPreheader()->getTerminator();
    IRBuilder<> build(&place);
    Value* once = nullptr;
    SmallVector<Loop*> loops;
    for (Loop* loop : outer.getLoopsInPreorder()) {
      if (!is_strided_by_groups(*loop)) continue;
      auto& back = cast<BranchInst>(*loop->getLoopLatch()->getTerminator());
      first_iteration first(m_kernel, m_facts.dominators, place);
      Value* condition =
          is_same_for_all(*back.getCondition()) ? first.of(*back.getCondition(), *loop) : nullptr;
      if (!condition) {
        first.remove();
        if (loop == &outer) return false;
        continue;
      }
      build.SetInsertPoint(&place);
      Value* ends = back.getSuccessor(0) == loop->getHeader() ? build.CreateNot(condition) : condition;
      once = once ? build.CreateAnd(once, ends) : ends;
      loops.push_back(loop);
    }
    loop_version version(outer, *once, m_facts, ".once");
    for (Loop* loop : loops) version.end_after_first(*loop);
    // Synchronization points: both then have loops over work-items of their own.
    IRBuilder<> enter(version.copy()->getTerminator());
    call_group_any(enter, enter.getTrue())->setMetadata(copy_name, MDNode::get(m_kernel.getContext(), {}));
    enter.SetInsertPoint(version.original()->getTerminator());
    call_group_any(enter, enter.getTrue());
    return true;
  }

  Function& m_kernel;
  loop_facts m_facts;
  uniform_values m_uniform;
  DenseSet<BasicBlock*> m_divergent;
};

/// The 64-bit values of 32-bit ids in the copy of a loop.
class orderer {
public:
  explicit orderer(Function& kernel) : m_kernel(kernel), m_facts(kernel), m_uniform(kernel) {}

  void run() {
    SmallVector<CallInst*> starts;
    for (Instruction& instruction : instructions(m_kernel))
      if (instruction.hasMetadata(copy_name)) starts.push_back(cast<CallInst>(&instruction));
    for (CallInst* start : starts) order(*start);
  }

private:
  void order(CallInst& start) {
    BasicBlock* copy = start.getParent();
    BasicBlock* before = copy->getSinglePredecessor();
    auto* choice = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!choice || !choice->isConditional()) return;
    for (Instruction* wide : ids_used_in(*copy)) {
      Instruction* low = CastInst::Create(Instruction::Trunc, wide, Type::getInt32Ty(m_kernel.getContext()),
                                          "", std::next(wide->getIterator()));
      const auto range = range_in_group(*low, true, *choice, m_facts.evolution, m_uniform);
      low->eraseFromParent();
      if (!range || range->multiplies_sizes) continue;
      IRBuilder<> build(choice);
      Value* may =
          choice->getSuccessor(0) == copy ? choice->getCondition() : build.CreateNot(choice->getCondition());
      may = build.CreateAnd(may, range->in_order);
      choice->setCondition(choice->getSuccessor(0) == copy ? may : build.CreateNot(may));
      build.SetInsertPoint(copy, std::next(start.getIterator()));
      Value* ordered = build.CreateSExt(range->least, wide->getType());
      for (auto& [id, factor] : range->ids) {
        Value* part = build.Insert(id->clone());
        part = factor == 1 ? part : build.CreateNUWMul(part, build.getInt64(factor));
        ordered = build.CreateNSWAdd(ordered, part);
      }
      wide->replaceUsesWithIf(ordered, [&](const Use& use) {
        return m_facts.dominators.dominates(copy, cast<Instruction>(use.getUser())->getParent());
      });
    }
  }

  SmallVector<Instruction*> ids_used_in(const BasicBlock& copy) {
    SmallVector<Instruction*> found;
    for (Instruction& instruction : instructions(m_kernel)) {
      if (!instruction.getType()->isIntegerTy(64) || !isa<SExtInst, BinaryOperator>(instruction) ||
          m_uniform.is_uniform(instruction) || none_of(instruction.users(), [&](const User* user) {
        return m_facts.dominators.dominates(&copy, cast<Instruction>(user)->getParent());
      }))
        continue;
      auto* extended = dyn_cast<SCEVSignExtendExpr>(m_facts.evolution.getSCEV(&instruction));
      if (extended && extended->getOperand()->getType()->isIntegerTy(32)) found.push_back(&instruction);
    }
    return found;
  }

  Function& m_kernel;
  loop_facts m_facts;
  uniform_values m_uniform;
};

} // namespace

bool is_strided_by_groups(const Loop& loop) {
  const BasicBlock *latch = loop.getLoopLatch(), *preheader = loop.getLoopPreheader();
  auto* back = latch && preheader ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  if (!back || !back->isConditional()) return false;
  return any_of(loop.getHeader()->phis(), [&](const PHINode& phi) {
    auto* next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
    return next && next->getOpcode() == Instruction::Add && any_of(next->operands(), [&](const Use& use) {
      return use.get() != &phi && depends_on_group_count(*use, 4);
    });
  });
}

void order_ids(Function& kernel) {
  read_captured_first(kernel);
  orderer(kernel).run();
}

bool copy_single_iterations(Function& kernel) { return copier(kernel).run(); }

} // namespace prism::compiler
