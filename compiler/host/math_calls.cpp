#include "compiler/host/math_calls.hpp"

#include <cmath>

#include "compiler/support/math_table.hpp"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

Intrinsic::ID exact_intrinsic(StringRef libm) {
  libm.consume_back("f");
  return StringSwitch<Intrinsic::ID>(libm)
      .Case("sqrt", Intrinsic::sqrt)
      .Case("fabs", Intrinsic::fabs)
      .Case("floor", Intrinsic::floor)
      .Case("ceil", Intrinsic::ceil)
      .Case("trunc", Intrinsic::trunc)
      .Case("rint", Intrinsic::rint)
      .Case("copysign", Intrinsic::copysign)
      .Case("fma", Intrinsic::fma)
      .Case("fmin", Intrinsic::minnum)
      .Case("fmax", Intrinsic::maxnum)
      .Default(Intrinsic::not_intrinsic);
}

bool is_scaling(const Function& callee) {
  StringRef name = callee.getName();
  if (callee.getIntrinsicID() == Intrinsic::ldexp) return true;
  if (callee.getReturnType()->isFloatTy() && !name.consume_back("f")) return false;
  return name == "ldexp" || name == "scalbn" || name == "scalbln";
}

/// x * 2^n in three steps, of which only the last rounds: steps down keep a distance from subnormal numbers
/// that is larger than the fraction (musl, scalbn.c), here without branches. No factor is subnormal.
Value* scaled_in_steps(IRBuilder<>& build, Value* x, Value* n) {
  Type *type = x->getType(), *integer = n->getType();
  const bool wide = type->isDoubleTy();
  const int up = wide ? 1023 : 127, lowest = 1 - up, down = lowest + (wide ? 53 : 24);
  const auto number = [&](int value) { return ConstantInt::getSigned(integer, value); };
  const auto power = [&](int exponent) { return ConstantFP::get(type, std::ldexp(1.0, exponent)); };
  for (int step = 0; step < 2; ++step) {
    Value *is_high = build.CreateICmpSGT(n, number(up)), *is_low = build.CreateICmpSLT(n, number(lowest));
    x = build.CreateFMul(
        x, build.CreateSelect(is_high, power(up), build.CreateSelect(is_low, power(down), power(0))));
    n = build.CreateSub(
        n, build.CreateSelect(is_high, number(up), build.CreateSelect(is_low, number(down), number(0))));
  }
  n = build.CreateBinaryIntrinsic(Intrinsic::smin, n, number(up));
  n = build.CreateBinaryIntrinsic(Intrinsic::smax, n, number(lowest));
  Type* bits = wide ? build.getInt64Ty() : build.getInt32Ty();
  Value* biased = build.CreateAdd(build.CreateSExtOrTrunc(n, bits), ConstantInt::get(bits, up));
  return build.CreateFMul(x, build.CreateBitCast(build.CreateShl(biased, wide ? 52 : 23), type));
}

void set_no_errno(CallInst& call, const Function& callee) {
  const bool has_pointer =
      any_of(callee.args(), [](const Argument& argument) { return argument.getType()->isPointerTy(); });
  call.addFnAttr(Attribute::NoUnwind);
  call.addFnAttr(Attribute::WillReturn);
  call.setMemoryEffects(has_pointer ? MemoryEffects::argMemOnly() : MemoryEffects::none());
}

Value* without_call(CallInst& call, const Function& callee) {
  if (!call.getType()->isFloatTy() && !call.getType()->isDoubleTy()) return nullptr;
  IRBuilder<> build(&call);
  if (is_scaling(callee)) return scaled_in_steps(build, call.getArgOperand(0), call.getArgOperand(1));
  const Intrinsic::ID id =
      callee.isIntrinsic() ? Intrinsic::not_intrinsic : exact_intrinsic(callee.getName());
  if (id == Intrinsic::not_intrinsic) return nullptr;
  SmallVector<Value*> arguments(call.args());
  CallInst* made = build.CreateIntrinsic(call.getType(), id, arguments);
  if (isa<FPMathOperator>(call)) made->copyFastMathFlags(&call);
  return made;
}

} // namespace

bool is_exact_instruction(StringRef libm) { return exact_intrinsic(libm) != Intrinsic::not_intrinsic; }

void free_math_calls(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->isDeclaration()) continue;
    if (Value* value = without_call(*call, *callee)) {
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    } else if (!callee->isIntrinsic() && find_math(callee->getName())) set_no_errno(*call, *callee);
  }
}

} // namespace prism::compiler
