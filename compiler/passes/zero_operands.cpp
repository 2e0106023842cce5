// llvmpipe's code generator replaces x * 0 and 0 / x by 0, x / 0 by undefined and x + 0 by x if the zero is a
// constant, even if the module asks it to keep NaN, infinities and signs (gallivm's lp_bld_arit.c compares
// operands with its constant +0). It treats the constant -0 as an ordinary number. Therefore this pass uses
// these identities, which hold exactly:
//
//   x * +0  =  -(x * -0)       +0 / x  =  -(-0 / x)       x / +0  =  -(x / -0)       x + +0  =  x == 0 ? +0 :
//   x
//
// An integer operation changes the sign, because drivers would fold a negation into the constant again.
//
// In OpenCL C only quotients are changed. rusticl folds products before that step, with -0 too. Sums with 0,
// the first ones of unrolled loops, are so common that other drivers would lose time for the sign of a zero.
#include "compiler/passes/passes.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_positive_zero(const Value* value) {
  const auto* number = dyn_cast<ConstantFP>(value);
  return number != nullptr && number->isZero() && !number->isNegative();
}

/// Changes +0 to -0, and the sign of the result. A quotient of two zeros is NaN in either case.
void negate_zero(BinaryOperator& operation) {
  Type* type = operation.getType();
  operation.setHasAllowContract(false); // an emitter then makes drivers keep the operation as it is
  operation.setOperand(is_positive_zero(operation.getOperand(0)) ? 0 : 1, ConstantFP::getNegativeZero(type));
  IRBuilder<> build(operation.getNextNode());
  const unsigned width = type->getScalarSizeInBits();
  Value* bits = build.CreateBitCast(&operation, build.getIntNTy(width));
  Value* result = build.CreateBitCast(
      build.CreateXor(bits, ConstantInt::get(bits->getType(), APInt::getSignMask(width))), type);
  operation.replaceUsesWithIf(result, [&](const Use& use) { return use.getUser() != bits; });
}

/// Handles x + 0, 0 + x and 0 - x.
void add_zero(BinaryOperator& operation) {
  IRBuilder<> build(&operation);
  const bool subtracts = operation.getOpcode() == Instruction::FSub;
  Value* x = operation.getOperand(subtracts || is_positive_zero(operation.getOperand(0)) ? 1 : 0);
  Value* zero = ConstantFP::getZero(operation.getType());
  Value* is_zero = build.CreateFCmpOEQ(x, zero);
  operation.replaceAllUsesWith(build.CreateSelect(is_zero, zero, subtracts ? build.CreateFNeg(x) : x));
  operation.eraseFromParent();
}

/// x * y + z with a constant zero among the operands becomes a product and a sum. They round as one operation
/// does, since the product is a zero or the sum is the product.
void split_multiply_add(IntrinsicInst& call) {
  IRBuilder<> build(&call);
  build.setFastMathFlags(call.getFastMathFlags());
  Value* product = build.CreateFMul(call.getArgOperand(0), call.getArgOperand(1));
  call.replaceAllUsesWith(build.CreateFAdd(product, call.getArgOperand(2)));
  call.eraseFromParent();
}

bool is_multiply_add_with_zero(const Instruction& at) {
  const auto* call = dyn_cast<IntrinsicInst>(&at);
  if (call == nullptr || call->getIntrinsicID() != Intrinsic::fmuladd) return false;
  return llvm::any_of(call->args(), [](const Value* operand) {
    const auto* number = dyn_cast<ConstantFP>(operand);
    return number != nullptr && number->isZero();
  });
}

} // namespace

void keep_zero_operands(Function& kernel, target where) {
  if (where == target::vulkan)
    for (Instruction& at : make_early_inc_range(instructions(kernel)))
      if (is_multiply_add_with_zero(at)) split_multiply_add(cast<IntrinsicInst>(at));
  SmallVector<BinaryOperator*> products, sums;
  for (Instruction& at : instructions(kernel)) {
    auto* operation = dyn_cast<BinaryOperator>(&at);
    if (operation == nullptr || !operation->getType()->isFloatingPointTy()) continue;
    const bool first = is_positive_zero(operation->getOperand(0)),
               second = is_positive_zero(operation->getOperand(1));
    if (first == second) continue;
    switch (operation->getOpcode()) {
      case Instruction::FDiv:
        if (!operation->hasNoNaNs() || !operation->hasNoSignedZeros()) products.push_back(operation);
        break;
      case Instruction::FMul:
        if (where == target::vulkan && (!operation->hasNoNaNs() || !operation->hasNoSignedZeros()))
          products.push_back(operation);
        break;
      case Instruction::FAdd:
        if (where == target::vulkan && !operation->hasNoSignedZeros()) sums.push_back(operation);
        break;
      case Instruction::FSub: // x - 0 is x
        if (where == target::vulkan && first && !operation->hasNoSignedZeros()) sums.push_back(operation);
        break;
      default: break;
    }
  }
  for (BinaryOperator* operation : products) negate_zero(*operation);
  for (BinaryOperator* operation : sums) add_zero(*operation);
}

} // namespace prism::compiler
