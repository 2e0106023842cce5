#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// A frozen value must be an ordinary one. The operations that compute it may overflow, but may not give
/// poison.
void drop_poison_flags(Value* value, SmallPtrSetImpl<Value*>& seen) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || !seen.insert(value).second) return;
  if (isa<LoadInst, CallInst, AllocaInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction)) return;
  if (!isa<GetElementPtrInst>(instruction)) instruction->dropPoisonGeneratingAnnotations();
  for (Value* operand : instruction->operands()) drop_poison_flags(operand, seen);
}

bool stays_constant(const Constant* constant) {
  if (isa<ConstantInt, ConstantFP, ConstantPointerNull, GlobalValue>(constant)) return true;
  auto* gep = dyn_cast<GEPOperator>(constant);
  return gep && isa<GlobalValue>(gep->getPointerOperand());
}

Instruction* offset_for(Instruction& user, const Use& use) {
  auto* phi = dyn_cast<PHINode>(&user);
  return phi ? phi->getIncomingBlock(use)->getTerminator() : &user;
}

/// Turns expressions into instructions, and undef and poison into zero; true if it changed the operand.
bool simplify_operand(Instruction& user, Use& use) {
  auto* constant = dyn_cast<Constant>(use.get());
  if (!constant || isa<BasicBlock>(use.get()) || stays_constant(constant)) return false;
  if (isa<UndefValue>(constant)) {
    if (constant->getType()->isAggregateType()) return false;
    use.set(Constant::getNullValue(constant->getType()));
    return true;
  }
  auto* expression = dyn_cast<ConstantExpr>(constant);
  if (!expression) return false;
  Instruction* fresh = expression->getAsInstruction();
  Instruction* const place = offset_for(user, use);
  fresh->insertInto(place->getParent(), place->getIterator());
  fresh->setDebugLoc(user.getDebugLoc());
  if (auto* phi = dyn_cast<PHINode>(&user)) {
    const BasicBlock* from = phi->getIncomingBlock(use); // all entries for one block must be the same value
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      if (phi->getIncomingBlock(i) == from) phi->setIncomingValue(i, fresh);
  } else {
    use.set(fresh);
  }
  return true;
}

} // namespace

void expand_constant_expressions(Function& kernel) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Instruction*> all;
    for (Instruction& instruction : instructions(kernel)) all.push_back(&instruction);
    for (Instruction* instruction : all) {
      if (isa<InsertValueInst, ExtractValueInst>(instruction)) continue;
      auto* call = dyn_cast<CallBase>(instruction);
      for (Use& use : instruction->operands()) {
        if (call && call->isCallee(&use)) continue;
        changed |= simplify_operand(*instruction, use);
      }
    }
  }
}

void finish_for_emitter(Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel)))
    if (auto* freeze = dyn_cast<FreezeInst>(&instruction)) {
      SmallPtrSet<Value*, 16> seen;
      drop_poison_flags(freeze->getOperand(0), seen);
      freeze->replaceAllUsesWith(freeze->getOperand(0));
      freeze->eraseFromParent();
    }
  expand_constant_expressions(kernel);
}

} // namespace prism::compiler
