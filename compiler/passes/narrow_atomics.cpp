// Implements atomics of 8 and 16 bits by 32-bit ones on the aligned word that contains them; PRISM's devices
// have no narrower ones. In SPIR-V, work-group memory is one array, whose elements have one width. If a
// kernel uses 64-bit atomics there, all other atomics on it use 64 bits too.
//
// A word of memory always belongs to one allocation: devices allocate whole words, and the local arena
// consists of whole words.
#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// The word that contains a narrow value, and the shift of its bits in the word.
struct part {
  Value *word, *shift, *mask;
  Type *word_type, *type;
  Align align;

  part(IRBuilder<>& build, Value* address, Type* narrow, unsigned word_bits)
      : word_type(build.getIntNTy(word_bits)), type(narrow), align(word_bits / 8) {
    Value* within =
        build.CreateAnd(build.CreatePtrToInt(address, build.getInt64Ty()), build.getInt64(word_bits / 8 - 1));
    word = build.CreateGEP(build.getInt8Ty(), address, build.CreateNeg(within));
    shift = build.CreateShl(build.CreateZExtOrTrunc(within, word_type), ConstantInt::get(word_type, 3));
    mask = build.CreateShl(ConstantInt::get(word_type, (std::uint64_t{1} << bits()) - 1), shift);
  }
  unsigned bits() const { return type->getPrimitiveSizeInBits(); }
  Value* taken_from(IRBuilder<>& build, Value* whole) const {
    return build.CreateBitCast(build.CreateTrunc(build.CreateLShr(whole, shift), build.getIntNTy(bits())),
                               type);
  }
  Value* put_into(IRBuilder<>& build, Value* whole, Value* value) const {
    Value* placed = build.CreateShl(
        build.CreateZExt(build.CreateBitCast(value, build.getIntNTy(bits())), word_type), shift);
    return build.CreateOr(build.CreateAnd(whole, build.CreateNot(mask)), placed);
  }
};

/// Repeats a compare-exchange of the whole word until it succeeds. `wanted` makes the new word from the old
/// one. Returns the word that was replaced, in the block of `before`.
template <class Wanted>
Value* exchange_word(Instruction* before, const part& where, AtomicOrdering order, Wanted wanted) {
  IRBuilder<> build(before);
  LoadInst* first = build.CreateAlignedLoad(where.word_type, where.word, where.align);
  first->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock* head = before->getParent();
  BasicBlock* tail = head->splitBasicBlock(before);
  BasicBlock* loop = BasicBlock::Create(head->getContext(), "narrow_atomic", head->getParent(), tail);
  head->getTerminator()->setSuccessor(0, loop);
  build.SetInsertPoint(loop);
  build.SetCurrentDebugLocation(before->getDebugLoc());
  PHINode* seen = build.CreatePHI(where.word_type, 2);
  seen->addIncoming(first, head);
  Value* fresh = wanted(build, seen);
  auto* exchange =
      build.CreateAtomicCmpXchg(where.word, seen, fresh, where.align, order, AtomicOrdering::Monotonic);
  Value* found = build.CreateExtractValue(exchange, 0);
  seen->addIncoming(found, loop);
  build.CreateCondBr(build.CreateExtractValue(exchange, 1), tail, loop);
  return found;
}

void widen(LoadInst& load, unsigned word_bits) {
  IRBuilder<> build(&load);
  const part where(build, load.getPointerOperand(), load.getType(), word_bits);
  LoadInst* whole = build.CreateAlignedLoad(where.word_type, where.word, where.align, load.isVolatile());
  whole->setAtomic(load.getOrdering());
  load.replaceAllUsesWith(where.taken_from(build, whole));
  load.eraseFromParent();
}

void widen(StoreInst& store, unsigned word_bits) {
  IRBuilder<> build(&store);
  Value* value = store.getValueOperand();
  const part where(build, store.getPointerOperand(), value->getType(), word_bits);
  exchange_word(&store, where, store.getOrdering(),
                [&](IRBuilder<>& inner, Value* seen) { return where.put_into(inner, seen, value); });
  store.eraseFromParent();
}

void widen(AtomicRMWInst& operation, unsigned word_bits) {
  IRBuilder<> build(&operation);
  const part where(build, operation.getPointerOperand(), operation.getType(), word_bits);
  Value* found =
      exchange_word(&operation, where, operation.getOrdering(), [&](IRBuilder<>& inner, Value* seen) {
    Value* old = where.taken_from(inner, seen);
    return where.put_into(
        inner, seen, buildAtomicRMWValue(operation.getOperation(), inner, old, operation.getValOperand()));
  });
  IRBuilder<> after(&operation);
  operation.replaceAllUsesWith(where.taken_from(after, found));
  operation.eraseFromParent();
}

/// If the narrow value differs, the word is exchanged for itself, so that a failed exchange is atomic too.
void widen(AtomicCmpXchgInst& exchange, unsigned word_bits) {
  IRBuilder<> build(&exchange);
  Value* expected = exchange.getCompareOperand();
  const part where(build, exchange.getPointerOperand(), expected->getType(), word_bits);
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
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return exchange->getCompareOperand()->getType();
  return instruction.getType();
}

} // namespace

void widen_narrow_atomics(Function& kernel, target where) {
  SmallVector<std::pair<Instruction*, bool>> found; // and whether it accesses work-group memory
  bool wide_in_group = false;
  const pointer_spaces spaces(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    Type* type = atomic_type(instruction);
    if (!type) continue;
    const bool in_group = spaces.of(accessed_pointer(instruction)) == pointer_space::local;
    if (type->getPrimitiveSizeInBits() == 64) wide_in_group |= in_group && where == target::vulkan;
    else found.emplace_back(&instruction, in_group);
  }
  for (auto [instruction, in_group] : found) {
    const unsigned word_bits = in_group && wide_in_group ? 64 : 32;
    if (atomic_type(*instruction)->getPrimitiveSizeInBits() >= word_bits) continue;
    if (auto* load = dyn_cast<LoadInst>(instruction)) widen(*load, word_bits);
    else if (auto* store = dyn_cast<StoreInst>(instruction)) widen(*store, word_bits);
    else if (auto* operation = dyn_cast<AtomicRMWInst>(instruction)) widen(*operation, word_bits);
    else widen(*cast<AtomicCmpXchgInst>(instruction), word_bits);
  }
}

} // namespace prism::compiler
