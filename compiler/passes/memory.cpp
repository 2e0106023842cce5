#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::uint64_t straight_bytes = 128; // larger or variable sizes become a loop

std::uint64_t word_size(Align a, Align b, std::uint64_t left) {
  std::uint64_t word = std::min<std::uint64_t>({a.value(), b.value(), 8});
  while (word > left) word /= 2;
  return word;
}

Value* at_offset(IRBuilder<>& build, Value* pointer, std::uint64_t offset) {
  return offset == 0 ? pointer : build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), pointer, offset);
}

/// All loads precede all stores, which is correct for memmove too.
void copy_straight(AnyMemTransferInst& copy, std::uint64_t bytes) {
  IRBuilder<> build(&copy);
  const Align to = copy.getDestAlign().valueOrOne(), from = copy.getSourceAlign().valueOrOne();
  struct piece {
    std::uint64_t offset;
    Value* value;
  };
  SmallVector<piece> pieces;
  for (std::uint64_t offset = 0; offset < bytes;) {
    const std::uint64_t word =
        word_size(commonAlignment(to, offset), commonAlignment(from, offset), bytes - offset);
    Value* value =
        build.CreateAlignedLoad(build.getIntNTy(word * 8), at_offset(build, copy.getSource(), offset),
                                commonAlignment(from, offset), copy.isVolatile());
    pieces.push_back({offset, value});
    offset += word;
  }
  for (const piece& p : pieces)
    build.CreateAlignedStore(p.value, at_offset(build, copy.getDest(), p.offset),
                             commonAlignment(to, p.offset), copy.isVolatile());
}

/// A counted loop in front of `before`. `body` receives the index in words, ascending or descending.
template <class Body>
void word_loop(Instruction* before, Value* words, Value* descending, Body body) {
  BasicBlock* head = before->getParent();
  BasicBlock* tail = head->splitBasicBlock(before);
  LLVMContext& context = before->getContext();
  BasicBlock* loop = BasicBlock::Create(context, "copy", head->getParent(), tail);
  IRBuilder<> entry(head->getTerminator());
  entry.SetCurrentDebugLocation(before->getDebugLoc());
  entry.CreateCondBr(entry.CreateICmpEQ(words, entry.getInt64(0)), tail, loop);
  head->getTerminator()->eraseFromParent();
  IRBuilder<> build(loop);
  build.SetCurrentDebugLocation(before->getDebugLoc());
  PHINode* index = build.CreatePHI(build.getInt64Ty(), 2);
  Value* place = index;
  if (descending) {
    Value* from_end = build.CreateSub(build.CreateSub(words, build.getInt64(1)), index);
    place = build.CreateSelect(descending, from_end, index);
  }
  body(build, place);
  Value* next = build.CreateAdd(index, build.getInt64(1), "", true, true);
  index->addIncoming(build.getInt64(0), head);
  index->addIncoming(next, loop);
  build.CreateCondBr(build.CreateICmpEQ(next, words), tail, loop);
}

std::uint64_t loop_word(Value* length, Align a, Align b) {
  auto* constant = dyn_cast<ConstantInt>(length);
  if (!constant) return 1;
  std::uint64_t word = std::min<std::uint64_t>({a.value(), b.value(), 8});
  while (constant->getZExtValue() % word != 0) word /= 2;
  return word;
}

void copy_loop(AnyMemTransferInst& copy) {
  IRBuilder<> build(&copy);
  Value* length = build.CreateZExtOrTrunc(copy.getLength(), build.getInt64Ty());
  const std::uint64_t word =
      loop_word(length, copy.getDestAlign().valueOrOne(), copy.getSourceAlign().valueOrOne());
  Value* words = build.CreateUDiv(length, build.getInt64(word));
  Value *to = copy.getDest(), *from = copy.getSource();
  Value* descending = nullptr;
  if (isa<AnyMemMoveInst>(copy))
    descending = build.CreateICmpULT(build.CreatePtrToInt(from, build.getInt64Ty()),
                                     build.CreatePtrToInt(to, build.getInt64Ty()));
  Type* type = build.getIntNTy(word * 8);
  const bool is_volatile = copy.isVolatile();
  word_loop(&copy, words, descending, [&](IRBuilder<>& inner, Value* index) {
    Value* value =
        inner.CreateAlignedLoad(type, inner.CreateInBoundsGEP(type, from, index), Align(word), is_volatile);
    inner.CreateAlignedStore(value, inner.CreateInBoundsGEP(type, to, index), Align(word), is_volatile);
  });
}

Value* repeated_byte(IRBuilder<>& build, Value* byte, std::uint64_t word) {
  Type* type = build.getIntNTy(word * 8);
  if (word == 1) return byte;
  const std::uint64_t ones = 0x0101010101010101ull >> (64 - word * 8);
  return build.CreateMul(build.CreateZExt(byte, type), ConstantInt::get(type, ones));
}

void expand_set(AnyMemSetInst& set) {
  IRBuilder<> build(&set);
  const Align to = set.getDestAlign().valueOrOne();
  auto* constant = dyn_cast<ConstantInt>(set.getLength());
  if (constant && constant->getZExtValue() <= straight_bytes) {
    const std::uint64_t bytes = constant->getZExtValue();
    for (std::uint64_t offset = 0; offset < bytes;) {
      const std::uint64_t word = word_size(commonAlignment(to, offset), Align(8), bytes - offset);
      build.CreateAlignedStore(repeated_byte(build, set.getValue(), word),
                               at_offset(build, set.getDest(), offset), commonAlignment(to, offset),
                               set.isVolatile());
      offset += word;
    }
    return;
  }
  Value* length = build.CreateZExtOrTrunc(set.getLength(), build.getInt64Ty());
  const std::uint64_t word = loop_word(length, to, Align(8));
  Value* words = build.CreateUDiv(length, build.getInt64(word));
  Value* value = repeated_byte(build, set.getValue(), word);
  Value* dest = set.getDest();
  const bool is_volatile = set.isVolatile();
  word_loop(&set, words, nullptr, [&](IRBuilder<>& inner, Value* index) {
    inner.CreateAlignedStore(value, inner.CreateInBoundsGEP(value->getType(), dest, index), Align(word),
                             is_volatile);
  });
}

} // namespace

namespace {

/// A loop at the function's begin moves variables out of the entry block; this moves them back.
void gather_variables(Function& kernel) {
  BasicBlock& entry = kernel.getEntryBlock();
  SmallVector<AllocaInst*> left;
  for (Instruction& instruction : instructions(kernel))
    if (auto* variable = dyn_cast<AllocaInst>(&instruction);
        variable && variable->getParent() != &entry && isa<ConstantInt>(variable->getArraySize()))
      left.push_back(variable);
  for (AllocaInst* variable : left) variable->moveBefore(entry, entry.getFirstInsertionPt());
}

} // namespace

void expand_memory_operations(Function& kernel) {
  SmallVector<AnyMemIntrinsic*> found;
  for (Instruction& instruction : instructions(kernel))
    if (auto* memory = dyn_cast<AnyMemIntrinsic>(&instruction)) found.push_back(memory);
  for (AnyMemIntrinsic* memory : found) {
    if (auto* set = dyn_cast<AnyMemSetInst>(memory)) {
      expand_set(*set);
    } else {
      auto& copy = *cast<AnyMemTransferInst>(memory);
      auto* constant = dyn_cast<ConstantInt>(copy.getLength());
      if (constant && constant->getZExtValue() <= straight_bytes)
        copy_straight(copy, constant->getZExtValue());
      else copy_loop(copy);
    }
    memory->eraseFromParent();
  }
  gather_variables(kernel);
}

namespace {

/// Splits an access of `bytes` into pieces. The size of each is a power of two, not larger than the alignment
/// at its offset, and within the value.
SmallVector<std::pair<std::uint64_t, std::uint64_t>> pieces_of(std::uint64_t bytes, std::uint64_t alignment) {
  SmallVector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  for (std::uint64_t offset = 0; offset < bytes; offset += pieces.back().second)
    pieces.push_back({offset, std::min(alignment, llvm::bit_floor(bytes - offset))});
  return pieces;
}

} // namespace

void split_unaligned_accesses(Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  SmallVector<Instruction*> found;
  for (Instruction& instruction : instructions(kernel)) {
    if (!isa<LoadInst, StoreInst>(instruction) || instruction.isAtomic()) continue;
    Type* type = getLoadStoreType(&instruction);
    if (type->isVectorTy() || !type->isSingleValueType()) continue;
    const std::uint64_t bytes = layout.getTypeStoreSize(type);
    if (getLoadStoreAlignment(&instruction).value() < bytes || !isPowerOf2_64(bytes))
      found.push_back(&instruction);
  }
  for (Instruction* instruction : found) {
    IRBuilder<> build(instruction);
    Type* type = getLoadStoreType(instruction);
    const std::uint64_t bytes = layout.getTypeStoreSize(type),
                        alignment = getLoadStoreAlignment(instruction).value();
    if (bytes > 8) continue; // refused later because of its type
    Type* whole = build.getIntNTy(bytes * 8);
    Value* pointer = getLoadStorePointerOperand(instruction);
    if (auto* load = dyn_cast<LoadInst>(instruction)) {
      Value* value = ConstantInt::get(whole, 0);
      for (const auto& [offset, size] : pieces_of(bytes, alignment)) {
        Value* piece = build.CreateAlignedLoad(build.getIntNTy(size * 8), at_offset(build, pointer, offset),
                                               Align(size), load->isVolatile());
        value = build.CreateOr(value, build.CreateShl(build.CreateZExt(piece, whole), offset * 8));
      }
      value = type->isPointerTy()   ? build.CreateIntToPtr(value, type)
              : type->isIntegerTy() ? build.CreateTrunc(value, type)
                                    : build.CreateBitCast(value, type);
      load->replaceAllUsesWith(value);
    } else {
      auto* store = cast<StoreInst>(instruction);
      Value* value = store->getValueOperand();
      value = type->isPointerTy()   ? build.CreatePtrToInt(value, whole)
              : type->isIntegerTy() ? build.CreateZExt(value, whole)
                                    : build.CreateBitCast(value, whole);
      for (const auto& [offset, size] : pieces_of(bytes, alignment))
        build.CreateAlignedStore(
            build.CreateTrunc(build.CreateLShr(value, offset * 8), build.getIntNTy(size * 8)),
            at_offset(build, pointer, offset), Align(size), store->isVolatile());
    }
    instruction->eraseFromParent();
  }
}

} // namespace prism::compiler
