#include "compiler/support/math_table.hpp"
#include "compiler/device_ir/intrinsics.hpp"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

namespace {

Value* call_library(IRBuilder<>& build, StringRef name, Type* result, ArrayRef<Value*> arguments,
                    FastMathFlags flags) {
  SmallVector<Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  Module& module = *build.GetInsertBlock()->getModule();
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto* function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  CallInst* call = build.CreateCall(callee, arguments);
  if (isa<FPMathOperator>(call)) call->setFastMathFlags(flags);
  return call;
}

/// Calls the libm function of the operand's type. half is computed in float.
Value* call_math(IRBuilder<>& build, StringRef base, CallInst& call) {
  Type* type = call.getArgOperand(0)->getType();
  SmallVector<Value*> arguments(call.args());
  const bool half = type->isHalfTy();
  if (half)
    for (Value*& argument : arguments)
      if (argument->getType()->isHalfTy()) argument = build.CreateFPExt(argument, build.getFloatTy());
  const std::string name = type->isDoubleTy() ? base.str() : base.str() + "f";
  const FastMathFlags flags = isa<FPMathOperator>(call) ? call.getFastMathFlags() : FastMathFlags();
  Type* result = call.getType()->isHalfTy() ? build.getFloatTy() : call.getType();
  Value* value = call_library(build, name, result, arguments, flags);
  return call.getType()->isHalfTy() ? build.CreateFPTrunc(value, call.getType()) : value;
}

Type* bits_of(IRBuilder<>& build, Type* type) { return build.getIntNTy(type->getPrimitiveSizeInBits()); }

Value* lower_copysign(IRBuilder<>& build, CallInst& call) {
  Type* type = call.getType();
  Type* bits = bits_of(build, type);
  const APInt sign = APInt::getSignMask(bits->getIntegerBitWidth());
  Value* magnitude =
      build.CreateAnd(build.CreateBitCast(call.getArgOperand(0), bits), ConstantInt::get(bits, ~sign));
  Value* other =
      build.CreateAnd(build.CreateBitCast(call.getArgOperand(1), bits), ConstantInt::get(bits, sign));
  return build.CreateBitCast(build.CreateOr(magnitude, other), type);
}

/// Each class is a range of the magnitude's bits, split by the sign.
Value* lower_is_fpclass(IRBuilder<>& build, CallInst& call) {
  Value* value = call.getArgOperand(0);
  Type* type = value->getType();
  const std::uint64_t mask = cast<ConstantInt>(call.getArgOperand(1))->getZExtValue();
  Type* bits = bits_of(build, type);
  const unsigned width = bits->getIntegerBitWidth();
  const fltSemantics& semantics = type->getFltSemantics();
  const APInt infinity = APFloat::getInf(semantics).bitcastToAPInt();
  const APInt quiet = APFloat::getQNaN(semantics).bitcastToAPInt();
  const APInt normal = APFloat::getSmallestNormalized(semantics).bitcastToAPInt();
  Value* raw = build.CreateBitCast(value, bits);
  Value* magnitude = build.CreateAnd(raw, ConstantInt::get(bits, APInt::getSignedMaxValue(width)));
  Value* negative = build.CreateICmpSLT(raw, ConstantInt::get(bits, 0));
  auto constant = [&](const APInt& v) { return ConstantInt::get(bits, v); };
  Value* result = build.getFalse();
  auto add = [&](unsigned positive_bit, unsigned negative_bit, Value* inside) {
    const bool p = mask & positive_bit, n = mask & negative_bit;
    if (!p && !n) return;
    Value* found = p && n ? inside : build.CreateAnd(inside, p ? build.CreateNot(negative) : negative);
    result = build.CreateOr(result, found);
  };
  add(fcSNan, fcSNan,
      build.CreateAnd(build.CreateICmpUGT(magnitude, constant(infinity)),
                      build.CreateICmpULT(magnitude, constant(quiet))));
  add(fcQNan, fcQNan, build.CreateICmpUGE(magnitude, constant(quiet)));
  add(fcPosInf, fcNegInf, build.CreateICmpEQ(magnitude, constant(infinity)));
  add(fcPosNormal, fcNegNormal,
      build.CreateAnd(build.CreateICmpUGE(magnitude, constant(normal)),
                      build.CreateICmpULT(magnitude, constant(infinity))));
  add(fcPosSubnormal, fcNegSubnormal,
      build.CreateAnd(build.CreateICmpUGT(magnitude, constant(APInt(width, 0))),
                      build.CreateICmpULT(magnitude, constant(normal))));
  add(fcPosZero, fcNegZero, build.CreateICmpEQ(magnitude, constant(APInt(width, 0))));
  return result;
}

Value* lower_min_max(IRBuilder<>& build, CallInst& call) {
  Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  switch (call.getIntrinsicID()) {
    case Intrinsic::smin: return build.CreateSelect(build.CreateICmpSLT(a, b), a, b);
    case Intrinsic::smax: return build.CreateSelect(build.CreateICmpSGT(a, b), a, b);
    case Intrinsic::umin: return build.CreateSelect(build.CreateICmpULT(a, b), a, b);
    case Intrinsic::umax: return build.CreateSelect(build.CreateICmpUGT(a, b), a, b);
    case Intrinsic::abs:
      return build.CreateSelect(build.CreateICmpSLT(a, ConstantInt::get(a->getType(), 0)), build.CreateNeg(a),
                                a);
    case Intrinsic::scmp:
    case Intrinsic::ucmp: {
      const bool is_signed = call.getIntrinsicID() == Intrinsic::scmp;
      Value* less = is_signed ? build.CreateICmpSLT(a, b) : build.CreateICmpULT(a, b);
      Value* more = is_signed ? build.CreateICmpSGT(a, b) : build.CreateICmpUGT(a, b);
      return build.CreateSub(build.CreateZExt(more, call.getType()), build.CreateZExt(less, call.getType()));
    }
    default: return nullptr;
  }
}

Value* signed_limit_towards(IRBuilder<>& build, Value* value) { // INT_MIN for a negative value, else INT_MAX
  Type* type = value->getType();
  const unsigned bits = type->getIntegerBitWidth();
  return build.CreateXor(build.CreateAShr(value, bits - 1),
                         ConstantInt::get(type, APInt::getSignedMaxValue(bits)));
}

/// High half of a 64-bit unsigned product, computed in 32-bit halves.
Value* high_product(IRBuilder<>& build, Value* a, Value* b) {
  Constant* low_mask = build.getInt64(0xffffffffu);
  Value *a0 = build.CreateAnd(a, low_mask), *a1 = build.CreateLShr(a, 32);
  Value *b0 = build.CreateAnd(b, low_mask), *b1 = build.CreateLShr(b, 32);
  Value *low = build.CreateMul(a0, b0), *first = build.CreateMul(a1, b0), *second = build.CreateMul(a0, b1);
  Value* middle =
      build.CreateAdd(build.CreateAdd(build.CreateLShr(low, 32), build.CreateAnd(first, low_mask)),
                      build.CreateAnd(second, low_mask));
  Value* high = build.CreateAdd(build.CreateMul(a1, b1),
                                build.CreateAdd(build.CreateLShr(first, 32), build.CreateLShr(second, 32)));
  return build.CreateAdd(high, build.CreateLShr(middle, 32));
}

/// True where the product of the intrinsic's operands does not fit its type.
Value* product_overflows(IRBuilder<>& build, Value* a, Value* b, Value* product, bool is_signed) {
  Type* type = a->getType();
  const unsigned bits = type->getIntegerBitWidth();
  if (bits <= 32) {
    Type* wide = build.getInt64Ty();
    if (is_signed) {
      Value* exact = build.CreateMul(build.CreateSExt(a, wide), build.CreateSExt(b, wide));
      return build.CreateICmpNE(exact, build.CreateSExt(product, wide));
    }
    Value* exact = build.CreateMul(build.CreateZExt(a, wide), build.CreateZExt(b, wide));
    return build.CreateICmpNE(exact, build.CreateZExt(product, wide));
  }
  Value* high = high_product(build, a, b);
  if (!is_signed) return build.CreateICmpNE(high, build.getInt64(0));
  high = build.CreateSub(high, build.CreateAnd(build.CreateAShr(a, 63), b)); // unsigned -> signed high half
  high = build.CreateSub(high, build.CreateAnd(build.CreateAShr(b, 63), a));
  return build.CreateICmpNE(high, build.CreateAShr(product, 63));
}

struct checked_result {
  Value* value;
  Value* overflow;
};

checked_result checked_arithmetic(IRBuilder<>& build, Intrinsic::ID id, Value* a, Value* b) {
  Constant* zero = ConstantInt::get(a->getType(), 0);
  switch (id) {
    case Intrinsic::uadd_with_overflow:
    case Intrinsic::uadd_sat: {
      Value* sum = build.CreateAdd(a, b);
      return {sum, build.CreateICmpULT(sum, a)};
    }
    case Intrinsic::usub_with_overflow:
    case Intrinsic::usub_sat: return {build.CreateSub(a, b), build.CreateICmpULT(a, b)};
    case Intrinsic::sadd_with_overflow:
    case Intrinsic::sadd_sat: {
      Value* sum = build.CreateAdd(a, b);
      return {sum,
              build.CreateICmpSLT(build.CreateAnd(build.CreateXor(sum, a), build.CreateXor(sum, b)), zero)};
    }
    case Intrinsic::ssub_with_overflow:
    case Intrinsic::ssub_sat: {
      Value* difference = build.CreateSub(a, b);
      return {difference, build.CreateICmpSLT(
                              build.CreateAnd(build.CreateXor(a, b), build.CreateXor(difference, a)), zero)};
    }
    case Intrinsic::umul_with_overflow:
    case Intrinsic::smul_with_overflow: {
      Value* product = build.CreateMul(a, b);
      return {product, product_overflows(build, a, b, product, id == Intrinsic::smul_with_overflow)};
    }
    default: return {nullptr, nullptr};
  }
}

Value* lower_saturating(IRBuilder<>& build, CallInst& call) {
  Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  Type* type = a->getType();
  const Intrinsic::ID id = call.getIntrinsicID();
  const unsigned bits = type->getIntegerBitWidth();
  if (id == Intrinsic::ushl_sat || id == Intrinsic::sshl_sat) {
    Value* shifted = build.CreateShl(a, b);
    Value* back = id == Intrinsic::ushl_sat ? build.CreateLShr(shifted, b) : build.CreateAShr(shifted, b);
    Value* limit = id == Intrinsic::ushl_sat ? ConstantInt::get(type, APInt::getMaxValue(bits))
                                             : signed_limit_towards(build, a);
    return build.CreateSelect(build.CreateICmpEQ(back, a), shifted, limit);
  }
  const checked_result result = checked_arithmetic(build, id, a, b);
  if (!result.value) return nullptr;
  Value* limit = id == Intrinsic::uadd_sat   ? cast<Value>(ConstantInt::get(type, APInt::getMaxValue(bits)))
                 : id == Intrinsic::usub_sat ? cast<Value>(ConstantInt::get(type, 0))
                                             : signed_limit_towards(build, a);
  return build.CreateSelect(result.overflow, limit, result.value);
}

/// Replaces a call that returns a pair; the uses extract its members.
bool replace_pair(CallInst& call, Value* first, Value* second) {
  for (User* user : make_early_inc_range(call.users()))
    if (auto* part = dyn_cast<ExtractValueInst>(user)) {
      part->replaceAllUsesWith(part->getIndices()[0] == 0 ? first : second);
      part->eraseFromParent();
    }
  if (!call.use_empty()) return false;
  call.eraseFromParent();
  return true;
}

bool lower_with_overflow(CallInst& call) {
  IRBuilder<> build(&call);
  const checked_result result =
      checked_arithmetic(build, call.getIntrinsicID(), call.getArgOperand(0), call.getArgOperand(1));
  return result.value && replace_pair(call, result.value, result.overflow);
}

/// The library's function writes the exponent to memory.
bool lower_frexp(CallInst& call) {
  Type* type = call.getArgOperand(0)->getType();
  if (!type->isFloatTy() && !type->isDoubleTy() && !type->isHalfTy()) return false;
  IRBuilder<> build(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
  AllocaInst* exponent = build.CreateAlloca(build.getInt32Ty());
  build.SetInsertPoint(&call);
  Value* argument =
      type->isHalfTy() ? build.CreateFPExt(call.getArgOperand(0), build.getFloatTy()) : call.getArgOperand(0);
  FunctionCallee frexp = call.getModule()->getOrInsertFunction(
      type->isDoubleTy() ? "frexp" : "frexpf", argument->getType(), argument->getType(), build.getPtrTy());
  Value* fraction = build.CreateCall(frexp, {argument, exponent});
  if (type->isHalfTy()) fraction = build.CreateFPTrunc(fraction, type);
  return replace_pair(call, fraction, build.CreateLoad(build.getInt32Ty(), exponent));
}

Value* lower_funnel_shift(IRBuilder<>& build, CallInst& call) {
  Value *high = call.getArgOperand(0), *low = call.getArgOperand(1), *amount = call.getArgOperand(2);
  Type* type = high->getType();
  const unsigned bits = type->getIntegerBitWidth();
  Value* shift = isPowerOf2_32(bits) ? build.CreateAnd(amount, ConstantInt::get(type, bits - 1))
                                     : build.CreateURem(amount, ConstantInt::get(type, bits));
  Value* rest = build.CreateSub(ConstantInt::get(type, bits - 1),
                                shift); // one less, then one more: a shift is never by the full width
  Constant* one = ConstantInt::get(type, 1);
  if (call.getIntrinsicID() == Intrinsic::fshl)
    return build.CreateOr(build.CreateShl(high, shift), build.CreateLShr(build.CreateLShr(low, one), rest));
  return build.CreateOr(build.CreateLShr(low, shift), build.CreateShl(build.CreateShl(high, one), rest));
}

/// minimum and maximum: NaN wins, -0 is below +0.
Value* lower_strict_min_max(IRBuilder<>& build, CallInst& call) {
  const bool minimum = call.getIntrinsicID() == Intrinsic::minimum;
  Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  Type* bits = bits_of(build, a->getType());
  Value* a_bits = build.CreateBitCast(a, bits);
  Value* b_bits = build.CreateBitCast(b, bits);
  Value* zeros = build.CreateBitCast(
      minimum ? build.CreateOr(a_bits, b_bits) : build.CreateAnd(a_bits, b_bits), a->getType());
  Value* better = minimum ? build.CreateFCmpOLT(a, b) : build.CreateFCmpOGT(a, b);
  Value* result = build.CreateSelect(build.CreateFCmpOEQ(a, b), zeros, build.CreateSelect(better, a, b));
  return build.CreateSelect(build.CreateFCmpUNO(a, b), build.CreateFAdd(a, b), result);
}

Value* lower_saturating_conversion(IRBuilder<>& build, CallInst& call) {
  const bool is_signed = call.getIntrinsicID() == Intrinsic::fptosi_sat;
  Value* value = call.getArgOperand(0);
  Type *from = value->getType(), *to = call.getType();
  const unsigned bits = to->getIntegerBitWidth();
  const APInt low = is_signed ? APInt::getSignedMinValue(bits) : APInt(bits, 0);
  const APInt high = is_signed ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APFloat low_float(from->getFltSemantics()), high_float(from->getFltSemantics());
  low_float.convertFromAPInt(low, is_signed, APFloat::rmTowardZero);
  high_float.convertFromAPInt(high, is_signed, APFloat::rmTowardZero);
  Value* above = build.CreateFCmpOGT(value, ConstantFP::get(from, high_float));
  Value* below = build.CreateFCmpOLT(value, ConstantFP::get(from, low_float));
  Value* is_nan = build.CreateFCmpUNO(value, value);
  Value* safe = build.CreateSelect(build.CreateOr(build.CreateOr(above, below), is_nan),
                                   ConstantFP::get(from, 0.0), value);
  Value* converted = is_signed ? build.CreateFPToSI(safe, to) : build.CreateFPToUI(safe, to);
  converted = build.CreateSelect(above, ConstantInt::get(to, high), converted);
  return build.CreateSelect(below, ConstantInt::get(to, low), converted);
}

Value* lower_powi(IRBuilder<>& build, CallInst& call) {
  Type* type = call.getType();
  Value* exponent = build.CreateSIToFP(call.getArgOperand(1), type->isHalfTy() ? build.getFloatTy() : type);
  Value* base =
      type->isHalfTy() ? build.CreateFPExt(call.getArgOperand(0), build.getFloatTy()) : call.getArgOperand(0);
  Value* value = call_library(build, type->isDoubleTy() ? "pow" : "powf", base->getType(), {base, exponent},
                              call.getFastMathFlags());
  return type->isHalfTy() ? build.CreateFPTrunc(value, type) : value;
}

bool is_hint(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::assume:
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::invariant_end:
    case Intrinsic::donothing:
    case Intrinsic::prefetch:
    case Intrinsic::sideeffect:
    case Intrinsic::pseudoprobe:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::var_annotation:
    case Intrinsic::stackrestore:
    case Intrinsic::codeview_annotation:
    case Intrinsic::dbg_value:
    case Intrinsic::dbg_declare:
    case Intrinsic::dbg_label: return true;
    default: return false;
  }
}

Value* lower_value(IntrinsicInst& call, target where) {
  IRBuilder<> build(&call);
  if (isa<FPMathOperator>(call)) build.setFastMathFlags(call.getFastMathFlags());
  const Intrinsic::ID id = call.getIntrinsicID();
  if (StringRef name = libm_name(id); !name.empty()) return call_math(build, name, call);
  switch (id) {
    case Intrinsic::smin:
    case Intrinsic::smax:
    case Intrinsic::umin:
    case Intrinsic::umax:
    case Intrinsic::abs:
    case Intrinsic::scmp:
    case Intrinsic::ucmp: return lower_min_max(build, call);
    case Intrinsic::uadd_sat:
    case Intrinsic::usub_sat:
    case Intrinsic::sadd_sat:
    case Intrinsic::ssub_sat:
    case Intrinsic::ushl_sat:
    case Intrinsic::sshl_sat: return lower_saturating(build, call);
    case Intrinsic::fshl:
    case Intrinsic::fshr: return lower_funnel_shift(build, call);
    case Intrinsic::ctpop:
    case Intrinsic::ctlz:
    case Intrinsic::cttz:
    case Intrinsic::bswap:
    case Intrinsic::bitreverse: return lower_bit_operation(call, where == target::opencl);
    case Intrinsic::copysign: return lower_copysign(build, call);
    case Intrinsic::is_fpclass: return lower_is_fpclass(build, call);
    case Intrinsic::minimum:
    case Intrinsic::maximum: return lower_strict_min_max(build, call);
    case Intrinsic::fptosi_sat:
    case Intrinsic::fptoui_sat: return lower_saturating_conversion(build, call);
    case Intrinsic::powi: return lower_powi(build, call);
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven: return build.CreateUnaryIntrinsic(Intrinsic::rint, call.getArgOperand(0));
    case Intrinsic::canonicalize:
      return build.CreateFMul(call.getArgOperand(0), ConstantFP::get(call.getType(), 1.0));
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::annotation:
    case Intrinsic::ptr_annotation:
    case Intrinsic::ssa_copy:
    case Intrinsic::arithmetic_fence: return call.getArgOperand(0);
    case Intrinsic::ptrmask: {
      Value* address = build.CreatePtrToInt(call.getArgOperand(0), build.getInt64Ty());
      Value* masked = build.CreateAnd(address, build.CreateZExt(call.getArgOperand(1), build.getInt64Ty()));
      return build.CreateIntToPtr(masked, call.getType());
    }
    case Intrinsic::fmuladd: {
      if (!call.getType()->isHalfTy()) return nullptr;
      return build.CreateFAdd(build.CreateFMul(call.getArgOperand(0), call.getArgOperand(1)),
                              call.getArgOperand(2));
    }
    case Intrinsic::stacksave:
    case Intrinsic::invariant_start: return Constant::getNullValue(call.getType());
    default: return nullptr;
  }
}

/// libm functions that the contract keeps as intrinsics.
Value* call_to_intrinsic(CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic() || !find_math(callee->getName()) || call.arg_size() == 0)
    return nullptr;
  StringRef name = callee->getName();
  if (call.getType()->isFloatTy()) name.consume_back("f");
  IRBuilder<> build(&call);
  if (name == "copysign") return lower_copysign(build, call);
  const Intrinsic::ID id = StringSwitch<Intrinsic::ID>(name)
                               .Case("fabs", Intrinsic::fabs)
                               .Case("sqrt", Intrinsic::sqrt)
                               .Case("floor", Intrinsic::floor)
                               .Case("ceil", Intrinsic::ceil)
                               .Case("trunc", Intrinsic::trunc)
                               .Case("rint", Intrinsic::rint)
                               .Case("nearbyint", Intrinsic::rint)
                               .Case("roundeven", Intrinsic::rint)
                               .Default(Intrinsic::not_intrinsic);
  if (id == Intrinsic::not_intrinsic || call.arg_size() != 1 ||
      call.getArgOperand(0)->getType() != call.getType())
    return nullptr;
  return build.CreateUnaryIntrinsic(id, call.getArgOperand(0));
}

Value* remainder_call(BinaryOperator& operation) {
  IRBuilder<> build(&operation);
  Type* type = operation.getType();
  Value *a = operation.getOperand(0), *b = operation.getOperand(1);
  if (type->isHalfTy()) {
    a = build.CreateFPExt(a, build.getFloatTy());
    b = build.CreateFPExt(b, build.getFloatTy());
  }
  Value* value = call_library(build, type->isDoubleTy() ? "fmod" : "fmodf", a->getType(), {a, b},
                              operation.getFastMathFlags());
  return type->isHalfTy() ? build.CreateFPTrunc(value, type) : value;
}

} // namespace

StringRef libm_name(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::sin: return "sin";
    case Intrinsic::cos: return "cos";
    case Intrinsic::tan: return "tan";
    case Intrinsic::asin: return "asin";
    case Intrinsic::acos: return "acos";
    case Intrinsic::atan: return "atan";
    case Intrinsic::sinh: return "sinh";
    case Intrinsic::cosh: return "cosh";
    case Intrinsic::tanh: return "tanh";
    case Intrinsic::exp: return "exp";
    case Intrinsic::exp2: return "exp2";
    case Intrinsic::exp10: return "exp10";
    case Intrinsic::log: return "log";
    case Intrinsic::log2: return "log2";
    case Intrinsic::log10: return "log10";
    case Intrinsic::pow: return "pow";
    case Intrinsic::fma: return "fma";
    case Intrinsic::minnum: return "fmin";
    case Intrinsic::maxnum: return "fmax";
    case Intrinsic::round: return "round";
    case Intrinsic::ldexp: return "ldexp";
    case Intrinsic::lround: return "lround";
    case Intrinsic::llround: return "llround";
    case Intrinsic::lrint: return "lrint";
    case Intrinsic::llrint: return "llrint";
    default: return {};
  }
}

void lower_intrinsics(Function& kernel, target where) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Instruction*> found;
    for (Instruction& instruction : instructions(kernel))
      if (isa<CallInst>(instruction) || instruction.getOpcode() == Instruction::FRem)
        found.push_back(&instruction);
    for (Instruction* instruction : found) {
      Value* value = nullptr;
      if (auto* intrinsic = dyn_cast<IntrinsicInst>(instruction)) {
        if (is_hint(intrinsic->getIntrinsicID())) {
          intrinsic->eraseFromParent();
          continue;
        }
        if (isa<WithOverflowInst>(intrinsic)) {
          changed |= lower_with_overflow(*intrinsic);
          continue;
        }
        if (intrinsic->getIntrinsicID() == Intrinsic::frexp) {
          changed |= lower_frexp(*intrinsic);
          continue;
        }
        if (!intrinsic->getType()->isVectorTy()) value = lower_value(*intrinsic, where);
      } else if (auto* call = dyn_cast<CallInst>(instruction)) {
        value = call_to_intrinsic(*call);
      } else if (!instruction->getType()->isVectorTy()) {
        value = remainder_call(cast<BinaryOperator>(*instruction));
      }
      if (!value) continue;
      instruction->replaceAllUsesWith(value);
      instruction->eraseFromParent();
      changed = true;
    }
  }
}

} // namespace prism::compiler
