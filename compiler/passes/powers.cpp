// Computes powers with known exponents as products, quotients and square roots, which take a tenth to a
// hundredth of pow's time.
//
// SYCL allows pow, pown and powr 16 units in the last place, for float and double. An exponent is replaced
// only if that limit holds on every device that keeps the limits of its own operations: a product, and any
// operation of double, adds half a unit, a float's quotient at most 2.5 units and its root at most 3. The
// table counts half units, which may be twice as large relative to the result:
//
//   x^n       n = 2..16    n - 1 products                                                  at most 15
//   x^-n      n = 1..7     n = 2k: (1 / x^k)^2;   n = 2k - 1: (1 / x^k) / x^(k-1)           at most 15
//   x^(n+1/2) n = 0..8     x^n sqrt(x)                                                     at most 14
//   x^(-1/2), x^(-3/2)     1 / sqrt(x), that divided by x                                  at most 16
//
// No step overflows or underflows unless the result does: 1 / x^n would, for results that are subnormal.
// Zeros, infinities and NaN give pow's results; -infinity and -0 to a fractional exponent are handled
// explicitly. Bases 2, 4, 16, 256 and their reciprocals use exp2, base 10 uses exp10. exp2 of an integer is
// assembled from its bits, and ldexp by a known number is a product.
#include <cmath>
#include <map>
#include <optional>

#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr int most_factors = 16, most_divisors = 7, most_before_root = 8;

enum class power_kind { none, pow, integer_power, exp2, scale };

power_kind power_kind_of(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  Type* type = call.getType();
  if (!callee || !callee->isDeclaration() || (!type->isFloatTy() && !type->isDoubleTy()))
    return power_kind::none;
  switch (call.getIntrinsicID()) {
    case Intrinsic::pow: return power_kind::pow;
    case Intrinsic::powi: return power_kind::integer_power;
    case Intrinsic::exp2: return power_kind::exp2;
    case Intrinsic::ldexp: return power_kind::scale;
    case Intrinsic::not_intrinsic: break;
    default: return power_kind::none;
  }
  StringRef name = callee->getName();
  if (type->isFloatTy() && !name.consume_back("f")) return power_kind::none;
  if (name == "pow") return power_kind::pow;
  if (name == "exp2") return power_kind::exp2;
  if (name == "ldexp" || name == "scalbn" || name == "scalbln") return power_kind::scale;
  return power_kind::none;
}

std::optional<double> known_real(const Value* value) {
  const auto* real = dyn_cast<ConstantFP>(value);
  if (!real) return std::nullopt;
  APFloat number = real->getValueAPF();
  bool lost = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return number.convertToDouble();
}

/// Products of one base.
class products {
public:
  products(IRBuilder<>& build, Value* base) : m_build(build), m_base(base) {}

  Value* of(int count) {
    if (count == 1) return m_base;
    Value*& known = m_known[count];
    if (!known) known = count % 2 == 0 ? square(of(count / 2)) : m_build.CreateFMul(of(count - 1), m_base);
    return known;
  }
  Value* inverse(int count) {
    if (count == 1) return one_over(m_base);
    if (count % 2 == 0) return square(one_over(of(count / 2)));
    return m_build.CreateFDiv(one_over(of(count / 2 + 1)), of(count / 2));
  }
  /// Does not handle -infinity and -0 yet.
  Value* with_root(int count) {
    Value* root = m_build.CreateUnaryIntrinsic(Intrinsic::sqrt, m_base);
    if (count < -1) return m_build.CreateFDiv(one_over(root), m_base);
    if (count == -1) return one_over(root);
    return count == 0 ? root : m_build.CreateFMul(of(count), root);
  }

private:
  Value* square(Value* value) { return m_build.CreateFMul(value, value); }
  Value* one_over(Value* value) { return m_build.CreateFDiv(ConstantFP::get(value->getType(), 1.0), value); }

  IRBuilder<>& m_build;
  Value* m_base;
  std::map<int, Value*> m_known;
};

Value* whole_power(IRBuilder<>& build, Value* base, double exponent) {
  if (exponent == 0) return ConstantFP::get(base->getType(), 1.0); // also for NaN
  if (exponent == 1) return base;
  if (exponent > most_factors || exponent < -most_divisors) return nullptr;
  products made(build, base);
  return exponent > 0 ? made.of(static_cast<int>(exponent)) : made.inverse(static_cast<int>(-exponent));
}

Value* power_with_root(IRBuilder<>& build, Value* base, double exponent) {
  const double whole = std::floor(exponent);
  if (exponent - whole != 0.5 || whole < -2 || whole > most_before_root) return nullptr;
  Value* value = products(build, base).with_root(static_cast<int>(whole));
  Constant *zero = ConstantFP::getZero(base->getType()), *infinity = ConstantFP::getInfinity(base->getType());
  Value* is_lowest = build.CreateFCmpOEQ(base, ConstantFP::getInfinity(base->getType(), true));
  value = build.CreateSelect(is_lowest, exponent > 0 ? infinity : zero, value);
  return build.CreateSelect(build.CreateFCmpOEQ(base, zero), exponent > 0 ? zero : infinity,
                            value); // drivers treat the root as a number without a sign
}

Value* math_call_of(IRBuilder<>& build, StringRef name, Value* argument) {
  Type* type = argument->getType();
  FunctionCallee callee = build.GetInsertBlock()->getModule()->getOrInsertFunction(
      type->isDoubleTy() ? name.str() : name.str() + "f", type, type);
  CallInst* call = build.CreateCall(callee, argument);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  call->addFnAttr(Attribute::WillReturn);
  return call;
}

/// 2^n as the product of two normal numbers, so that subnormal results and infinity are correct.
Value* power_of_two(IRBuilder<>& build, Value* integer, bool is_signed, Type* type) {
  const bool wide = type->isDoubleTy();
  const int highest = wide ? 1025 : 129, lowest = wide ? -1076 : -151, bias = wide ? 1023 : 127;
  Type* from = integer->getType();
  if (from->getIntegerBitWidth() < 32)
    integer = build.CreateIntCast(integer, from = build.getInt32Ty(), is_signed);
  Constant* top = ConstantInt::get(from, highest);
  integer = build.CreateSelect(
      is_signed ? build.CreateICmpSGT(integer, top) : build.CreateICmpUGT(integer, top), top, integer);
  if (is_signed) {
    Constant* bottom = ConstantInt::getSigned(from, lowest);
    integer = build.CreateSelect(build.CreateICmpSLT(integer, bottom), bottom, integer);
  }
  integer = build.CreateSExtOrTrunc(integer, build.getInt32Ty());
  Value* half = build.CreateAShr(integer, 1);
  const auto factor = [&](Value* exponent) -> Value* {
    Value* biased = build.CreateAdd(exponent, build.getInt32(bias));
    if (wide) biased = build.CreateZExt(biased, build.getInt64Ty());
    return build.CreateBitCast(build.CreateShl(biased, wide ? 52 : 23), type);
  };
  return build.CreateFMul(factor(half), factor(build.CreateSub(integer, half)));
}

Value* exp2_of_integer(IRBuilder<>& build, Value* exponent) {
  auto* conversion = dyn_cast<CastInst>(exponent);
  if (!conversion || !isa<SIToFPInst, UIToFPInst>(conversion)) return nullptr;
  Type* from = conversion->getSrcTy();
  if (!from->isIntegerTy() || from->getIntegerBitWidth() > 64 || from->isIntegerTy(1)) return nullptr;
  return power_of_two(build, conversion->getOperand(0), isa<SIToFPInst>(conversion), exponent->getType());
}

/// Exact for these bases, because their logarithms are powers of two.
Value* power_of_known_base(IRBuilder<>& build, double base, Value* exponent) {
  Type* type = exponent->getType();
  if (base == 1) return ConstantFP::get(type, 1.0);
  if (base == 10) return math_call_of(build, "exp10", exponent);
  for (const double size : {1.0, 2.0, 4.0, 8.0})
    for (const double logarithm : {size, -size}) {
      if (base != std::exp2(logarithm)) continue;
      if (logarithm != 1)
        return math_call_of(build, "exp2", build.CreateFMul(exponent, ConstantFP::get(type, logarithm)));
      Value* whole = exp2_of_integer(build, exponent);
      return whole ? whole : math_call_of(build, "exp2", exponent);
    }
  return nullptr;
}

/// Rounds once, as ldexp does.
Value* scaled_by(IRBuilder<>& build, Value* value, const Value* by) {
  const auto* number = dyn_cast<ConstantInt>(by);
  const int limit = value->getType()->isDoubleTy() ? 1022 : 126; // 2^-limit is normal
  if (!number || number->getValue().abs().ugt(limit)) return nullptr;
  return build.CreateFMul(
      value, ConstantFP::get(value->getType(), std::exp2(static_cast<double>(number->getSExtValue()))));
}

Value* folded_power(CallInst& call) {
  const power_kind kind = power_kind_of(call);
  if (kind == power_kind::none) return nullptr;
  IRBuilder<> build(&call);
  if (isa<FPMathOperator>(call)) build.setFastMathFlags(call.getFastMathFlags());
  Value* first = call.getArgOperand(0);
  if (kind == power_kind::exp2) return exp2_of_integer(build, first);
  Value* second = call.getArgOperand(1);
  if (kind == power_kind::scale) return scaled_by(build, first, second);
  if (kind == power_kind::integer_power) {
    const auto* exponent = dyn_cast<ConstantInt>(second);
    return exponent ? whole_power(build, first, static_cast<double>(exponent->getSExtValue())) : nullptr;
  }
  if (const auto exponent = known_real(second); exponent && std::isfinite(*exponent))
    return std::floor(*exponent) == *exponent ? whole_power(build, first, *exponent)
                                              : power_with_root(build, first, *exponent);
  if (const auto base = known_real(first)) return power_of_known_base(build, *base, second);
  return nullptr;
}

} // namespace

bool fold_powers(Function& function) {
  bool any = false;
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    Value* value = call ? folded_power(*call) : nullptr;
    if (!value) continue;
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
    any = true;
  }
  return any;
}

} // namespace prism::compiler
