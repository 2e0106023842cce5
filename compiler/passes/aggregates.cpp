#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

Type* member_type(Type* aggregate, unsigned index) {
  auto* structure = dyn_cast<StructType>(aggregate);
  return structure ? structure->getElementType(index) : aggregate->getArrayElementType();
}

unsigned member_count(Type* aggregate) {
  auto* structure = dyn_cast<StructType>(aggregate);
  return structure ? structure->getNumElements() : aggregate->getArrayNumElements();
}

std::uint64_t member_offset(const DataLayout& layout, Type* aggregate, unsigned index) {
  if (auto* structure = dyn_cast<StructType>(aggregate))
    return layout.getStructLayout(structure)->getElementOffset(index);
  return index * layout.getTypeAllocSize(aggregate->getArrayElementType());
}

/// The value of member `index` of an aggregate. Looks through insertvalue; inserts new code at `build`.
Value* member_of(IRBuilder<>& build, Value* aggregate, unsigned index) {
  while (auto* insert = dyn_cast<InsertValueInst>(aggregate)) {
    if (insert->getIndices()[0] == index) {
      if (insert->getNumIndices() == 1) return insert->getInsertedValueOperand();
      break;
    }
    aggregate = insert->getAggregateOperand();
  }
  return build.CreateExtractValue(aggregate, index);
}

/// Splits one level of one aggregate instruction into operations on the members. The next iteration splits
/// nested members.
bool split_one(Instruction* instruction, const DataLayout& layout) {
  IRBuilder<> build(instruction);
  Type* type = instruction->getType();
  if (auto* store = dyn_cast<StoreInst>(instruction)) {
    Value* value = store->getValueOperand();
    for (unsigned i = 0; i < member_count(value->getType()); ++i) {
      const std::uint64_t offset = member_offset(layout, value->getType(), i);
      Value* place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), store->getPointerOperand(), offset);
      build.CreateAlignedStore(member_of(build, value, i), place, commonAlignment(store->getAlign(), offset),
                               store->isVolatile());
    }
    store->eraseFromParent();
    return true;
  }
  Value* whole = PoisonValue::get(type);
  if (auto* load = dyn_cast<LoadInst>(instruction)) {
    for (unsigned i = 0; i < member_count(type); ++i) {
      const std::uint64_t offset = member_offset(layout, type, i);
      Value* place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), load->getPointerOperand(), offset);
      Value* part = build.CreateAlignedLoad(member_type(type, i), place,
                                            commonAlignment(load->getAlign(), offset), load->isVolatile());
      whole = build.CreateInsertValue(whole, part, i);
    }
  } else if (auto* choice = dyn_cast<SelectInst>(instruction)) {
    for (unsigned i = 0; i < member_count(type); ++i)
      whole = build.CreateInsertValue(whole,
                                      build.CreateSelect(choice->getCondition(),
                                                         member_of(build, choice->getTrueValue(), i),
                                                         member_of(build, choice->getFalseValue(), i)),
                                      i);
  } else if (auto* freeze = dyn_cast<FreezeInst>(instruction)) {
    for (unsigned i = 0; i < member_count(type); ++i)
      whole =
          build.CreateInsertValue(whole, build.CreateFreeze(member_of(build, freeze->getOperand(0), i)), i);
  } else if (auto* phi = dyn_cast<PHINode>(instruction)) {
    SmallVector<PHINode*> members;
    for (unsigned i = 0; i < member_count(type); ++i)
      members.push_back(build.CreatePHI(member_type(type, i), phi->getNumIncomingValues()));
    IRBuilder<> after(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    for (unsigned i = 0; i < members.size(); ++i) whole = after.CreateInsertValue(whole, members[i], i);
    for (unsigned k = 0; k < phi->getNumIncomingValues(); ++k) {
      IRBuilder<> edge(phi->getIncomingBlock(k)->getTerminator());
      Value* incoming = phi->getIncomingValue(k) == phi ? whole : phi->getIncomingValue(k);
      for (unsigned i = 0; i < members.size(); ++i)
        members[i]->addIncoming(incoming == whole ? members[i] : member_of(edge, incoming, i),
                                phi->getIncomingBlock(k));
    }
  } else {
    return false;
  }
  instruction->replaceAllUsesWith(whole);
  instruction->eraseFromParent();
  return true;
}

} // namespace

bool split_aggregates(Function& kernel) {
  bool any = false;
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<WeakTrackingVH> found;
    for (Instruction& instruction : instructions(kernel)) {
      Type* type = isa<StoreInst>(instruction) ? instruction.getOperand(0)->getType() : instruction.getType();
      if (type->isAggregateType() && isa<StoreInst, LoadInst, SelectInst, FreezeInst, PHINode>(instruction))
        found.push_back(&instruction);
    }
    for (WeakTrackingVH& handle : found)
      if (handle) changed |= split_one(cast<Instruction>(handle), layout);
    any |= changed;
  }
  return any;
}

namespace {

Value* vector_to_integer(IRBuilder<>& build, Value* vector) {
  auto* type = cast<FixedVectorType>(vector->getType());
  const unsigned bits = type->getScalarSizeInBits();
  Type* whole = build.getIntNTy(bits * type->getNumElements());
  Value* result = ConstantInt::get(whole, 0);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value* element = build.CreateBitCast(build.CreateExtractElement(vector, i), build.getIntNTy(bits));
    result =
        build.CreateOr(result, build.CreateShl(build.CreateZExt(element, whole), std::uint64_t(i) * bits));
  }
  return result;
}

Value* integer_to_vector(IRBuilder<>& build, Value* integer, FixedVectorType* type) {
  const unsigned bits = type->getScalarSizeInBits();
  Value* result = PoisonValue::get(type);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value* part =
        build.CreateTrunc(build.CreateLShr(integer, std::uint64_t(i) * bits), build.getIntNTy(bits));
    result = build.CreateInsertElement(result, build.CreateBitCast(part, type->getElementType()), i);
  }
  return result;
}

/// Converts the elements of `from` to elements of `type`. One element size must be a multiple of the other.
Value* recut_vector(IRBuilder<>& build, Value* from, FixedVectorType* type) {
  auto* source = cast<FixedVectorType>(from->getType());
  const unsigned from_bits = source->getScalarSizeInBits(), to_bits = type->getScalarSizeInBits();
  Value* result = PoisonValue::get(type);
  if (from_bits >= to_bits) {
    const unsigned each = from_bits / to_bits;
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Value* element =
          build.CreateBitCast(build.CreateExtractElement(from, i / each), build.getIntNTy(from_bits));
      Value* part = build.CreateTrunc(build.CreateLShr(element, std::uint64_t(i % each) * to_bits),
                                      build.getIntNTy(to_bits));
      result = build.CreateInsertElement(result, build.CreateBitCast(part, type->getElementType()), i);
    }
    return result;
  }
  const unsigned each = to_bits / from_bits;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value* whole = ConstantInt::get(build.getIntNTy(to_bits), 0);
    for (unsigned k = 0; k < each; ++k) {
      Value* element =
          build.CreateBitCast(build.CreateExtractElement(from, i * each + k), build.getIntNTy(from_bits));
      whole = build.CreateOr(
          whole, build.CreateShl(build.CreateZExt(element, whole->getType()), std::uint64_t(k) * from_bits));
    }
    result = build.CreateInsertElement(result, build.CreateBitCast(whole, type->getElementType()), i);
  }
  return result;
}

} // namespace

void split_vector_casts(Function& kernel) {
  SmallVector<BitCastInst*> found;
  for (Instruction& instruction : instructions(kernel))
    if (auto* cast = dyn_cast<BitCastInst>(&instruction))
      if (cast->getSrcTy()->isVectorTy() || cast->getDestTy()->isVectorTy()) found.push_back(cast);
  for (BitCastInst* bit_cast : found) {
    IRBuilder<> build(bit_cast);
    auto* from = dyn_cast<FixedVectorType>(bit_cast->getSrcTy());
    auto* to = dyn_cast<FixedVectorType>(bit_cast->getDestTy());
    Value* value = bit_cast->getOperand(0);
    Value* result = nullptr;
    if (from && to) result = recut_vector(build, value, to);
    else if (from) result = build.CreateBitCast(vector_to_integer(build, value), bit_cast->getDestTy());
    else
      result = integer_to_vector(
          build, build.CreateBitCast(value, build.getIntNTy(bit_cast->getSrcTy()->getPrimitiveSizeInBits())),
          to);
    bit_cast->replaceAllUsesWith(result);
    bit_cast->eraseFromParent();
  }
}

} // namespace prism::compiler
