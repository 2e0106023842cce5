#include "compiler/workgroup/loop_version.hpp"

#include "compiler/device_ir/captured.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned most_instructions = 800; // of a loop that is copied
constexpr unsigned most_copied = 24;        // instructions of one condition, computed before the loop

} // namespace

Value* first_iteration::of(Value& value, const Loop& loop) {
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

void first_iteration::remove() {
  for (Instruction* each : reverse(m_added)) each->eraseFromParent();
  m_added.clear();
  m_known.clear();
}

bool first_iteration::may_execute_early(const Instruction& instruction) const {
  if (reads_captured(instruction, m_kernel) || is_query(instruction)) return true;
  return !instruction.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&instruction);
}

bool may_copy_loop(const Loop& loop) {
  unsigned size = 0;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      auto* call = dyn_cast<CallInst>(&instruction);
      if ((call && call->isConvergent()) || isa<IndirectBrInst, CallBrInst>(instruction) ||
          ++size > most_instructions)
        return false;
    }
  return loop.getLoopPreheader() && loop.hasDedicatedExits();
}

loop_version::loop_version(Loop& loop, Value& condition, loop_facts& facts, const char* suffix) {
  SmallVector<BasicBlock*> exits;
  loop.getUniqueExitBlocks(exits);
  BasicBlock* before = loop.getLoopPreheader();
  m_original = SplitBlock(before, before->getTerminator(), &facts.dominators, &facts.loops);
  SmallVector<BasicBlock*> copies;
  cloneLoopWithPreheader(m_original, before, &loop, m_map, suffix, &facts.loops, &facts.dominators, copies);
  remapInstructionsInBlocks(copies, m_map);
  m_copy = cast<BasicBlock>(m_map[m_original]);
  const auto copied = [&](Value* value) -> Value* {
    const auto found = m_map.find(value);
    return found != m_map.end() ? static_cast<Value*>(found->second) : value;
  };
  for (BasicBlock* exit : exits)
    for (PHINode& phi : exit->phis())
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i)
        if (loop.contains(phi.getIncomingBlock(i)))
          phi.addIncoming(copied(phi.getIncomingValue(i)), cast<BasicBlock>(m_map[phi.getIncomingBlock(i)]));
  before->getTerminator()->eraseFromParent();
  IRBuilder<> build(before);
  build.CreateCondBr(build.CreateFreeze(&condition), m_copy, m_original);
}

void loop_version::end_after_first(const Loop& loop) {
  auto* header = cast<BasicBlock>(m_map[loop.getHeader()]);
  auto* latch = cast<BasicBlock>(m_map[loop.getLoopLatch()]);
  auto* back = cast<BranchInst>(latch->getTerminator());
  BasicBlock* exit = back->getSuccessor(back->getSuccessor(0) == header ? 1 : 0);
  header->removePredecessor(latch, /*KeepOneInputPHIs=*/true);
  IRBuilder<>(back).CreateBr(exit);
  back->eraseFromParent();
}

} // namespace prism::compiler
