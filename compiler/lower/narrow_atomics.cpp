// Atomics of 8 and 16 bits by 32-bit ones on the aligned word that holds them; no device of ours has narrower.
//
// A word of memory always belongs to one allocation: devices allocate whole words, and the local arena is made of them.
#include "compiler/lower/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler {
using namespace llvm;

namespace {

const Align word_align(4);

/// The word that holds a narrow value, and how far its bits are shifted in it.
struct part {
  Value *word, *shift, *mask;
  Type* type;

  part(IRBuilder<>& build, Value* address, Type* narrow) : type(narrow) {
    Value* within = build.CreateAnd(build.CreatePtrToInt(address, build.getInt64Ty()), build.getInt64(3));
    word = build.CreateGEP(build.getInt8Ty(), address, build.CreateNeg(within));
    shift = build.CreateShl(build.CreateTrunc(within, build.getInt32Ty()), build.getInt32(3));
    mask = build.CreateShl(build.getInt32((1u << narrow->getIntegerBitWidth()) - 1), shift);
  }
  Value* taken_from(IRBuilder<>& build, Value* whole) const { return build.CreateTrunc(build.CreateLShr(whole, shift), type); }
  Value* put_into(IRBuilder<>& build, Value* whole, Value* value) const {
    Value* placed = build.CreateShl(build.CreateZExt(value, build.getInt32Ty()), shift);
    return build.CreateOr(build.CreateAnd(whole, build.CreateNot(mask)), placed);
  }
};

/// Repeats a compare-exchange of the whole word until nothing came between; `wanted` makes the new word of the old one.
/// Returns the word that was replaced, in the block of `before`.
template <class Wanted>
Value* exchange_word(Instruction* before, const part& where, AtomicOrdering order, Wanted wanted) {
  IRBuilder<> build(before);
  LoadInst* first = build.CreateAlignedLoad(build.getInt32Ty(), where.word, word_align);
  first->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock* head = before->getParent();
  BasicBlock* tail = head->splitBasicBlock(before);
  BasicBlock* loop = BasicBlock::Create(head->getContext(), "narrow_atomic", head->getParent(), tail);
  head->getTerminator()->setSuccessor(0, loop);
  build.SetInsertPoint(loop);
  build.SetCurrentDebugLocation(before->getDebugLoc());
  PHINode* seen = build.CreatePHI(build.getInt32Ty(), 2);
  seen->addIncoming(first, head);
  Value* fresh = wanted(build, seen);
  auto* exchange = build.CreateAtomicCmpXchg(where.word, seen, fresh, word_align, order, AtomicOrdering::Monotonic);
  Value* found = build.CreateExtractValue(exchange, 0);
  seen->addIncoming(found, loop);
  build.CreateCondBr(build.CreateExtractValue(exchange, 1), tail, loop);
  return found;
}

void widen(LoadInst& load) {
  IRBuilder<> build(&load);
  const part where(build, load.getPointerOperand(), load.getType());
  LoadInst* whole = build.CreateAlignedLoad(build.getInt32Ty(), where.word, word_align, load.isVolatile());
  whole->setAtomic(load.getOrdering());
  load.replaceAllUsesWith(where.taken_from(build, whole));
  load.eraseFromParent();
}

void widen(StoreInst& store) {
  IRBuilder<> build(&store);
  Value* value = store.getValueOperand();
  const part where(build, store.getPointerOperand(), value->getType());
  exchange_word(&store, where, store.getOrdering(), [&](IRBuilder<>& inner, Value* seen) { return where.put_into(inner, seen, value); });
  store.eraseFromParent();
}

void widen(AtomicRMWInst& operation) {
  IRBuilder<> build(&operation);
  const part where(build, operation.getPointerOperand(), operation.getType());
  Value* found = exchange_word(&operation, where, operation.getOrdering(), [&](IRBuilder<>& inner, Value* seen) {
    Value* old = where.taken_from(inner, seen);
    return where.put_into(inner, seen, buildAtomicRMWValue(operation.getOperation(), inner, old, operation.getValOperand()));
  });
  IRBuilder<> after(&operation);
  operation.replaceAllUsesWith(where.taken_from(after, found));
  operation.eraseFromParent();
}

/// Where the narrow value differs, the word is exchanged for itself: so a failure is atomic too.
void widen(AtomicCmpXchgInst& exchange) {
  IRBuilder<> build(&exchange);
  Value* expected = exchange.getCompareOperand();
  const part where(build, exchange.getPointerOperand(), expected->getType());
  const AtomicOrdering order = exchange.getMergedOrdering();
  Value* found = exchange_word(&exchange, where, order, [&](IRBuilder<>& inner, Value* seen) {
    Value* equal = inner.CreateICmpEQ(where.taken_from(inner, seen), expected);
    return inner.CreateSelect(equal, where.put_into(inner, seen, exchange.getNewValOperand()), seen);
  });
  IRBuilder<> after(&exchange);
  Value* old = where.taken_from(after, found);
  Value* equal = after.CreateICmpEQ(old, expected);
  for (User* user : make_early_inc_range(exchange.users())) {
    auto* result = cast<ExtractValueInst>(user);
    result->replaceAllUsesWith(result->getIndices()[0] == 0 ? old : equal);
    result->eraseFromParent();
  }
  exchange.eraseFromParent();
}

Type* atomic_type(const Instruction& instruction) {
  if (!instruction.isAtomic() || isa<FenceInst>(instruction)) return nullptr;
  if (auto* store = dyn_cast<StoreInst>(&instruction)) return store->getValueOperand()->getType();
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return exchange->getCompareOperand()->getType();
  return instruction.getType();
}

} // namespace

void widen_narrow_atomics(Function& kernel) {
  SmallVector<Instruction*> found;
  for (Instruction& instruction : instructions(kernel))
    if (Type* type = atomic_type(instruction); type && (type->isIntegerTy(8) || type->isIntegerTy(16))) found.push_back(&instruction);
  for (Instruction* instruction : found) {
    if (auto* load = dyn_cast<LoadInst>(instruction)) widen(*load);
    else if (auto* store = dyn_cast<StoreInst>(instruction)) widen(*store);
    else if (auto* operation = dyn_cast<AtomicRMWInst>(instruction)) widen(*operation);
    else widen(*cast<AtomicCmpXchgInst>(instruction));
  }
}

} // namespace prism::compiler
