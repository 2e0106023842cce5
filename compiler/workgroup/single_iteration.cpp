#include "compiler/workgroup/single_iteration.hpp"

#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "compiler/workgroup/group_range.hpp"
#include "compiler/workgroup/whole_guards.hpp"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned most_instructions = 800; // of a loop that is copied
constexpr unsigned most_copied = 24;        // instructions of one condition, computed before the loop

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

/// A loop whose only jump back depends on a counter with a step that grows with the number of groups.
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

/// Computes, in front of a loop, the value that an instruction of the loop has in its first iteration.
class first_iteration {
public:
  first_iteration(Function& kernel, const DominatorTree& dominators, Instruction& place)
      : m_kernel(kernel), m_dominators(dominators), m_place(place) {}
  /// Null if the value cannot be computed there; then remove() removes what was added.
  Value* of(Value& value, const Loop& loop) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (!instruction || m_dominators.dominates(instruction, &m_place)) return &value;
    if (auto found = m_known.find(instruction); found != m_known.end()) return found->second;
    if (auto* phi = dyn_cast<PHINode>(instruction)) {
      if (phi->getParent() != loop.getHeader()) return nullptr;
      return of(*phi->getIncomingValueForBlock(loop.getLoopPreheader()), loop);
    }
    if (m_added.size() == most_copied || !may_execute_early(*instruction)) return nullptr;
    SmallVector<Value*> operands;
    for (Use& use : instruction->operands()) {
      Value* operand = of(*use, loop);
      if (!operand) return nullptr;
      operands.push_back(operand);
    }
    Instruction* copy = instruction->clone();
    for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
    copy->dropPoisonGeneratingFlags();
    copy->dropUBImplyingAttrsAndMetadata();
    copy->setDebugLoc({});
    copy->insertBefore(m_place.getIterator());
    m_added.push_back(copy);
    return m_known[instruction] = copy;
  }
  void remove() {
    for (Instruction* each : reverse(m_added)) each->eraseFromParent();
  }

private:
  bool may_execute_early(const Instruction& instruction) const {
    if (reads_captured(instruction, m_kernel) || is_query(instruction)) return true;
    return !instruction.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&instruction);
  }

  Function& m_kernel;
  const DominatorTree& m_dominators;
  Instruction& m_place;
  DenseMap<Instruction*, Value*> m_known;
  SmallVector<Instruction*> m_added;
};

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
    if (m_divergent.contains(loop.getLoopPreheader())) return false;
    unsigned size = 0;
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block) {
        auto* call = dyn_cast<CallInst>(&instruction);
        if ((call && call->isConvergent()) || isa<IndirectBrInst, CallBrInst>(instruction) ||
            ++size > most_instructions)
          return false;
      }
    return loop.hasDedicatedExits();
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
    SmallVector<BasicBlock*> exits;
    outer.getUniqueExitBlocks(exits);
    BasicBlock* before = place.getParent();
    BasicBlock* preheader = SplitBlock(before, &place, &m_facts.dominators, &m_facts.loops);
    ValueToValueMapTy map;
    SmallVector<BasicBlock*> copies;
    cloneLoopWithPreheader(preheader, before, &outer, map, ".once", &m_facts.loops, &m_facts.dominators,
                           copies);
    remapInstructionsInBlocks(copies, map);
    const auto copied = [&](Value* value) -> Value* {
      const auto found = map.find(value);
      return found != map.end() ? static_cast<Value*>(found->second) : value;
    };
    for (BasicBlock* exit : exits)
      for (PHINode& phi : exit->phis())
        for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
          if (outer.contains(phi.getIncomingBlock(i)))
            phi.addIncoming(copied(phi.getIncomingValue(i)), cast<BasicBlock>(map[phi.getIncomingBlock(i)]));
    for (Loop* loop : loops) end_after_first(*loop, map);
    // Synchronization points: both then have loops over work-items of their own.
    IRBuilder<> enter(cast<BasicBlock>(map[preheader])->getTerminator());
    call_group_any(enter, enter.getTrue())->setMetadata(copy_name, MDNode::get(m_kernel.getContext(), {}));
    enter.SetInsertPoint(preheader->getTerminator());
    call_group_any(enter, enter.getTrue());
    before->getTerminator()->eraseFromParent();
    IRBuilder<>(before).CreateCondBr(IRBuilder<>(before).CreateFreeze(once), cast<BasicBlock>(map[preheader]),
                                     preheader);
    return true;
  }

  /// Removes the jump back from the loop's copy.
  static void end_after_first(const Loop& loop, ValueToValueMapTy& map) {
    auto* header = cast<BasicBlock>(map[loop.getHeader()]);
    auto* latch = cast<BasicBlock>(map[loop.getLoopLatch()]);
    auto* back = cast<BranchInst>(latch->getTerminator());
    BasicBlock* exit = back->getSuccessor(back->getSuccessor(0) == header ? 1 : 0);
    header->removePredecessor(latch, /*KeepOneInputPHIs=*/true);
    IRBuilder<>(back).CreateBr(exit);
    back->eraseFromParent();
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
      if (!range) continue;
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

void order_ids(Function& kernel) {
  read_captured_first(kernel);
  orderer(kernel).run();
}

bool copy_single_iterations(Function& kernel) { return copier(kernel).run(); }

} // namespace prism::compiler
