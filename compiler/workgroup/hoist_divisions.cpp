#include "compiler/workgroup/hoist_divisions.hpp"

#include "compiler/device_ir/captured.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

namespace prism::compiler {
using namespace llvm;

void divide_for_all(Instruction& division) {
  IRBuilder<> build(&division);
  // A divisor that is poison where the program does not divide would be undefined behaviour.
  Value* divisor = division.getOperand(1);
  if (!isGuaranteedNotToBeUndefOrPoison(divisor)) divisor = build.CreateFreeze(divisor);
  Type* const type = divisor->getType();
  Value* const one = ConstantInt::get(type, 1);
  Value* safe = build.CreateSelect(build.CreateICmpEQ(divisor, ConstantInt::get(type, 0)), one, divisor);
  const unsigned opcode = division.getOpcode();
  division.dropPoisonGeneratingFlags();
  if (opcode == Instruction::SRem || opcode == Instruction::SDiv) {
    Value* const negates = build.CreateICmpEQ(divisor, ConstantInt::getAllOnesValue(type));
    safe = build.CreateSelect(negates, one, safe);
    if (opcode == Instruction::SDiv) {
      build.SetInsertPoint(division.getNextNode());
      Value* const negated = build.CreateNeg(division.getOperand(0)); // a constant if the dividend is one
      Value* const result = build.CreateSelect(negates, negated, &division);
      division.replaceUsesWithIf(result, [&](const Use& use) { return use.getUser() != result; });
    }
  }
  division.setOperand(1, safe);
}

namespace {

class hoister {
public:
  hoister(Loop& loop, BasicBlock& before) : m_loop(loop), m_before(before), m_function(*before.getParent()) {}

  /// Whether the value is, or could be, computed before the loop.
  bool is_possible(const Value& value, unsigned depth = 0) const {
    constexpr unsigned most = 6; // of operations on operands
    auto* instruction = dyn_cast<Instruction>(&value);
    if (!instruction || !m_loop.contains(instruction)) return true;
    const bool has_no_effects = instruction->isIntDivRem() || reads_captured(*instruction, m_function) ||
                                is_query(*instruction) ||
                                (!instruction->mayReadOrWriteMemory() && !isa<PHINode>(instruction) &&
                                 isSafeToSpeculativelyExecute(instruction));
    return depth < most && has_no_effects &&
           all_of(instruction->operands(), [&](const Use& each) { return is_possible(*each, depth + 1); });
  }

  void hoist(Value& value) const {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (!instruction || !m_loop.contains(instruction)) return;
    for (Use& operand : instruction->operands()) hoist(*operand);
    instruction->moveBefore(m_before, m_before.getTerminator()->getIterator());
    if (instruction->isIntDivRem() && !isSafeToSpeculativelyExecute(instruction))
      divide_for_all(*instruction);
    else if (!isa<LoadInst>(instruction)) instruction->dropPoisonGeneratingFlags();
  }

private:
  Loop& m_loop;
  BasicBlock& m_before;
  const Function& m_function;
};

} // namespace

bool hoist_divisions(Function& function) {
  bool changed = false;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  const auto outer_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outer_first)) {
    BasicBlock* const before = loop->getLoopPreheader();
    if (!before) continue;
    const hoister moves(*loop, *before);
    SmallVector<Instruction*> divisions;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& each : *block)
        if (each.isIntDivRem() && moves.is_possible(each)) divisions.push_back(&each);
    for (Instruction* each : divisions) moves.hoist(*each);
    changed |= !divisions.empty();
  }
  return changed;
}

} // namespace prism::compiler
