#include "compiler/device_ir/legal.hpp"

#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/support/math_table.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "compiler/support/diagnose.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace prism::compiler {
using namespace llvm;

namespace {

std::string text_of(Type* type) {
  std::string text;
  raw_string_ostream stream(text);
  type->print(stream);
  return text;
}

bool is_allowed_type(Type* type) {
  if (auto* integer = dyn_cast<IntegerType>(type)) {
    const unsigned bits = integer->getBitWidth();
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
  }
  return type->isHalfTy() || type->isFloatTy() || type->isDoubleTy() || type->isPointerTy() ||
         type->isVoidTy() || type->isLabelTy();
}

bool is_reserved(StringRef name) {
  for (StringRef known : {"__prism_local_id", "__prism_group_id", "__prism_local_size", "__prism_group_count",
                          "__prism_local_arena", "__prism_group_scratch", "__prism_barrier", "__prism_fence",
                          "__prism_context_arrays", "__prism_clock", "__prism_fixed_order"})
    if (name == known) return true;
  return name.starts_with(element_call);
}

bool is_permitted_intrinsic(Intrinsic::ID id, target where) {
  switch (id) {
    case Intrinsic::fabs:
    case Intrinsic::sqrt:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::fmuladd: return true;
    case Intrinsic::ctlz:
    case Intrinsic::ctpop: return where == target::opencl;
    default: return false;
  }
}

bool is_sub_group_call(StringRef name) {
  for (StringRef known :
       {"local_id", "id", "count", "size", "local_size", "barrier", "shuffle_i32", "shuffle_i64", "ballot",
        "combine_i32", "combine_i64", "combine_f32", "combine_f64"})
    if (name == ("__prism_sub_group_" + known).str()) return true;
  return false;
}

std::string refusal_of_call(const CallInst& call, target where) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return "an indirect call";
  const StringRef name = callee->getName();
  if (callee->isIntrinsic())
    return is_permitted_intrinsic(callee->getIntrinsicID(), where)
               ? ""
               : "the operation '" + name.str() + "' is not supported on this target";
  if (is_reserved(name)) {
    const unsigned first_constant = name.starts_with(element_call) ? 1 : 0;
    for (const Value* argument : drop_begin(call.args(), first_constant))
      if (!isa<ConstantInt>(argument)) return "an argument of '" + name.str() + "' is not a constant";
    return "";
  }
  if (name.starts_with(dot_product_call)) return "";
  if (name == asks_group_name && where == target::opencl) return "";
  if (name == matrix_missing)
    return "an operation that matrix units lack (tf32, copies to another use, or joint_matrix_apply of "
           "integers and floating-point numbers together)";
  if (name.starts_with(matrix_call) && where == target::vulkan) return "";
  if (is_sub_group_call(name)) return ""; // images with sub-groups of one have none left
  if (is_native_math(name, where) || (where == target::vulkan && is_fused_multiply_add(name))) return "";
  if (find_math(name)) return "the math function '" + name.str() + "' is not available on this target";
  return "a call of '" + name.str() + "'";
}

std::string refusal_of_access(const Instruction& instruction, const pointer_spaces& spaces) {
  const Value* pointer = accessed_pointer(instruction);
  if (!pointer) return "";
  const pointer_space space = spaces.of(pointer);
  if (space == pointer_space::mixed)
    return "a pointer may point to more than one kind of memory (global, local, private)";
  const bool writes = !isa<LoadInst>(instruction);
  if (writes && space == pointer_space::captured) return "a write to a captured variable";
  if (writes && space == pointer_space::constant) return "a write to a constant";
  if (!instruction.isAtomic()) return "";
  Type* type = isa<LoadInst>(instruction)    ? instruction.getType()
               : isa<StoreInst>(instruction) ? instruction.getOperand(0)->getType()
               : isa<AtomicRMWInst>(instruction)
                   ? cast<AtomicRMWInst>(instruction).getValOperand()->getType()
                   : cast<AtomicCmpXchgInst>(instruction).getCompareOperand()->getType();
  if (type->isIntegerTy(32) || type->isIntegerTy(64)) return "";
  if (isa<AtomicRMWInst>(instruction) && (type->isFloatTy() || type->isDoubleTy())) return "";
  return "an atomic operation on the type " + text_of(type);
}

std::string refusal_of(const Instruction& instruction, const pointer_spaces& spaces, target where) {
  Type* type = instruction.getType();
  const bool pair = isa<AtomicCmpXchgInst>(instruction);
  if (!pair && !is_allowed_type(type)) return "a value of the type " + text_of(type);
  for (const Value* operand : instruction.operands())
    if (!isa<AtomicCmpXchgInst>(operand) && !operand->getType()->isMetadataTy() &&
        !is_allowed_type(operand->getType()))
      return "a value of the type " + text_of(operand->getType());
  if (auto* variable = dyn_cast<AllocaInst>(&instruction)) {
    if (!isa<ConstantInt>(variable->getArraySize())) return "an array of variable length";
    if (variable->getParent() != &instruction.getFunction()->getEntryBlock())
      return "a local variable in a loop that cannot be hoisted";
  }
  if (isa<ReturnInst, BranchInst, UnreachableInst, AllocaInst, LoadInst, StoreInst, AtomicCmpXchgInst,
          AtomicRMWInst, GetElementPtrInst, PHINode, SelectInst, CmpInst, BinaryOperator, UnaryOperator,
          CastInst, ExtractValueInst>(instruction))
    return refusal_of_access(instruction, spaces);
  if (auto* call = dyn_cast<CallInst>(&instruction)) return refusal_of_call(*call, where);
  return std::string("the operation '") + instruction.getOpcodeName() + "'";
}

} // namespace

refusal find_refusal(Function& kernel, target where) {
  for (const GlobalVariable* constant : named_constants(kernel))
    if (has_pointers(*constant->getValueType()))
      return {"the constant '" + constant->getName().str() +
                  "' holds pointers, and the kernel uses pointers in a way that this target does not support",
              nullptr};
  const pointer_spaces spaces(kernel);
  for (const Instruction& instruction : instructions(kernel)) {
    std::string why = refusal_of(instruction, spaces, where);
    if (why.empty()) continue;
    return {std::move(why), user_location(instruction)};
  }
  return {};
}

} // namespace prism::compiler
