#include "compiler/device_ir/atomic_loops.hpp"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler {
using namespace llvm;

bool is_integer_operation(AtomicRMWInst::BinOp operation) {
  switch (operation) {
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

Value* to_integer(IRBuilderBase& build, Value* value, Type* integer) {
  return value->getType()->isPointerTy() ? build.CreatePtrToInt(value, integer)
                                         : build.CreateBitCast(value, integer);
}

Value* from_integer(IRBuilderBase& build, Value* bits, Type* type) {
  return type->isPointerTy() ? build.CreateIntToPtr(bits, type) : build.CreateBitCast(bits, type);
}

void expand_to_loop(AtomicRMWInst& operation) {
  const DataLayout& layout = operation.getModule()->getDataLayout();
  Type* type = operation.getType();
  Type* integer = IntegerType::get(type->getContext(), layout.getTypeSizeInBits(type));
  IRBuilder<> build(&operation);
  auto* first = build.CreateAlignedLoad(integer, operation.getPointerOperand(), operation.getAlign());
  first->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock* head = operation.getParent();
  BasicBlock* tail = head->splitBasicBlock(&operation);
  BasicBlock* loop = BasicBlock::Create(head->getContext(), "atomic", head->getParent(), tail);
  head->getTerminator()->setSuccessor(0, loop);
  build.SetInsertPoint(loop);
  build.SetCurrentDebugLocation(operation.getDebugLoc());
  PHINode* seen = build.CreatePHI(integer, 2);
  seen->addIncoming(first, head);
  Value* wanted = buildAtomicRMWValue(operation.getOperation(), build, from_integer(build, seen, type),
                                      operation.getValOperand());
  auto* exchange =
      build.CreateAtomicCmpXchg(operation.getPointerOperand(), seen, to_integer(build, wanted, integer),
                                operation.getAlign(), operation.getOrdering(), AtomicOrdering::Monotonic);
  Value* found = build.CreateExtractValue(exchange, 0);
  seen->addIncoming(found, loop);
  build.CreateCondBr(build.CreateExtractValue(exchange, 1), tail, loop);
  IRBuilder<> after(&operation);
  operation.replaceAllUsesWith(from_integer(after, found, type));
  operation.eraseFromParent();
}

} // namespace prism::compiler
