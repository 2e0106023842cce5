#include "compiler/spirv/simplify.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

bool is_private(const Value* pointer) { return isa<AllocaInst>(getUnderlyingObject(pointer)); }

bool is_native(const AtomicRMWInst& instruction) {
  switch (instruction.getOperation()) {
    case AtomicRMWInst::Xchg: return true;
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin: return true;
    default: return false;
  }
}

/// before: old = load; loop: seen = phi; new = op(seen); (was, done) = cmpxchg seen -> new; after: the result
/// is seen.
void expand(AtomicRMWInst& instruction) {
  Type* type = instruction.getType();
  BasicBlock* before = instruction.getParent();
  Function* function = before->getParent();
  Type* bits_type = IntegerType::get(type->getContext(), type->getPrimitiveSizeInBits());
  BasicBlock* after = before->splitBasicBlock(instruction.getIterator(), "exchanged");
  BasicBlock* loop = BasicBlock::Create(type->getContext(), "exchange", function, after);
  before->getTerminator()->eraseFromParent();

  IRBuilder<> at(before);
  at.SetCurrentDebugLocation(instruction.getDebugLoc());
  Value* address = instruction.getPointerOperand();
  LoadInst* first = at.CreateAlignedLoad(bits_type, address, instruction.getAlign());
  first->setAtomic(AtomicOrdering::Monotonic, instruction.getSyncScopeID());
  at.CreateBr(loop);

  at.SetInsertPoint(loop);
  PHINode* seen = at.CreatePHI(bits_type, 2);
  Value* changed = buildAtomicRMWValue(instruction.getOperation(), at, at.CreateBitCast(seen, type),
                                       instruction.getValOperand());
  const AtomicOrdering order = instruction.getOrdering();
  AtomicCmpXchgInst* exchange = at.CreateAtomicCmpXchg(
      address, seen, at.CreateBitCast(changed, bits_type), instruction.getAlign(), order,
      AtomicCmpXchgInst::getStrongestFailureOrdering(order), instruction.getSyncScopeID());
  Value* was = at.CreateExtractValue(exchange, 0);
  Value* done = at.CreateExtractValue(exchange, 1);
  Value* result = at.CreateBitCast(was, type);
  at.CreateCondBr(done, after, loop);
  seen->addIncoming(first, before);
  seen->addIncoming(was, loop);
  instruction.replaceAllUsesWith(result);
  instruction.eraseFromParent();
}

} // namespace

void simplify(Function& kernel) {
  SmallVector<AtomicRMWInst*, 8> expanded, private_ones;
  SmallVector<AtomicCmpXchgInst*, 4> private_exchanges;
  for (Instruction& instruction : instructions(kernel)) {
    if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
      if (is_private(rmw->getPointerOperand())) private_ones.push_back(rmw);
      else if (!is_native(*rmw)) expanded.push_back(rmw);
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      if (is_private(exchange->getPointerOperand())) private_exchanges.push_back(exchange);
    }
  }
  for (AtomicRMWInst* rmw : private_ones) lowerAtomicRMWInst(rmw);
  for (AtomicCmpXchgInst* exchange : private_exchanges) lowerAtomicCmpXchgInst(exchange);
  for (AtomicRMWInst* rmw : expanded) expand(*rmw);
}

} // namespace prism::compiler::spirv
