// Integer and float arithmetic, comparisons and casts.
#include "compiler/device_ir/sign_extension.hpp"
#include "compiler/spirv/translator.hpp"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler::spirv {

using namespace llvm;

/// Forbids contraction and value-changing rewriting, unless the source allows it.
void translator::exact(id result, const Instruction& instruction) {
  const auto* operation = dyn_cast<FPMathOperator>(&instruction);
  if (operation == nullptr || !operation->hasAllowContract())
    m_builder.decorate(result, spv::DecorationNoContraction);
}

id translator::binary_bool(const BinaryOperator& instruction, id a, id b) {
  const id type = int_type(1);
  switch (instruction.getOpcode()) {
    case Instruction::And:
    case Instruction::Mul: return emit(spv::OpLogicalAnd, type, {a, b});
    case Instruction::Or: return emit(spv::OpLogicalOr, type, {a, b});
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Xor: return emit(spv::OpLogicalNotEqual, type, {a, b});
    case Instruction::UDiv: // the divisor and the shift have one defined value
    case Instruction::SDiv:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr: return a;
    case Instruction::URem:
    case Instruction::SRem: return number(1, 0);
    default: refuse(&instruction, "an operation on Boolean values");
  }
}

/// A float's bits with the sign of another (or disjoint (and x, sign), y), computed as a choice between two
/// floats. For the bit operations llvmpipe of LLVM 15 makes one ternary operation on AVX-512, with its
/// operands mixed up.
bool translator::copies_sign(const BinaryOperator& instruction) {
  using namespace PatternMatch;
  const Value *source = nullptr, *size = nullptr;
  const unsigned bits = instruction.getType()->getIntegerBitWidth();
  const bool joins = (bits == 32 || bits == 64) &&
                     match(&instruction, m_c_Or(m_And(m_Value(source), m_SignMask()), m_Value(size))) &&
                     cast<PossiblyDisjointInst>(instruction).isDisjoint();
  if (!joins) return false;
  const id positive = emit(spv::OpBitcast, float_type(bits), {value(size)});
  const id negative = emit(spv::OpFNegate, float_type(bits), {positive});
  const id is_negative = emit(spv::OpSLessThan, int_type(1), {value(source), number(bits, 0)});
  const id chosen = emit(spv::OpSelect, float_type(bits), {is_negative, negative, positive});
  define(&instruction, emit(spv::OpBitcast, int_type(bits), {chosen}));
  return true;
}

void translator::binary(const BinaryOperator& instruction) {
  if (instruction.getOpcode() == Instruction::Or && !instruction.getType()->isIntegerTy(1) &&
      copies_sign(instruction))
    return;
  const id a = value(instruction.getOperand(0)), b = value(instruction.getOperand(1));
  if (instruction.getType()->isIntegerTy(1)) return define(&instruction, binary_bool(instruction, a, b));
  const id type = type_of(&instruction);
  spv::Op opcode = spv::OpNop;
  switch (instruction.getOpcode()) {
    case Instruction::Add: opcode = spv::OpIAdd; break;
    case Instruction::Sub: opcode = spv::OpISub; break;
    case Instruction::Mul: opcode = spv::OpIMul; break;
    case Instruction::UDiv: opcode = spv::OpUDiv; break;
    case Instruction::SDiv: opcode = spv::OpSDiv; break;
    case Instruction::URem: opcode = spv::OpUMod; break;
    case Instruction::SRem: { // Vulkan leaves OpSRem of negative operands undefined
      const id quotient = emit(spv::OpSDiv, type, {a, b});
      return define(&instruction, emit(spv::OpISub, type, {a, emit(spv::OpIMul, type, {quotient, b})}));
    }
    case Instruction::Shl: opcode = spv::OpShiftLeftLogical; break;
    case Instruction::LShr: opcode = spv::OpShiftRightLogical; break;
    case Instruction::AShr: opcode = spv::OpShiftRightArithmetic; break;
    case Instruction::And: opcode = spv::OpBitwiseAnd; break;
    case Instruction::Or: opcode = spv::OpBitwiseOr; break;
    case Instruction::Xor: opcode = spv::OpBitwiseXor; break;
    case Instruction::FAdd: opcode = spv::OpFAdd; break;
    case Instruction::FSub: opcode = spv::OpFSub; break;
    case Instruction::FMul: opcode = spv::OpFMul; break;
    case Instruction::FDiv: opcode = spv::OpFDiv; break;
    default: refuse(&instruction, std::string("the operation ") + instruction.getOpcodeName());
  }
  const id result = emit(opcode, type, {a, b});
  if (instruction.getType()->isFloatingPointTy()) exact(result, instruction);
  define(&instruction, result);
}

id translator::compare_bools(CmpInst::Predicate predicate, id a, id b, const Instruction& at) {
  const id type = int_type(1);
  const auto negated = [&](id x) { return emit(spv::OpLogicalNot, type, {x}); };
  switch (predicate) {
    case CmpInst::ICMP_EQ: return emit(spv::OpLogicalEqual, type, {a, b});
    case CmpInst::ICMP_NE: return emit(spv::OpLogicalNotEqual, type, {a, b});
    case CmpInst::ICMP_ULT: // true is 1, or -1 for a signed comparison
    case CmpInst::ICMP_SGT: return emit(spv::OpLogicalAnd, type, {negated(a), b});
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_SLT: return emit(spv::OpLogicalAnd, type, {a, negated(b)});
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_SGE: return emit(spv::OpLogicalOr, type, {negated(a), b});
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SLE: return emit(spv::OpLogicalOr, type, {a, negated(b)});
    default: refuse(&at, "a comparison of Boolean values");
  }
}

void translator::compare_integers(const ICmpInst& instruction) {
  const Value *first = instruction.getOperand(0), *second = instruction.getOperand(1);
  const CmpInst::Predicate predicate = instruction.getPredicate();
  id a = 0, b = 0;
  if (first->getType()->isPointerTy()) {
    const bool null = isa<ConstantPointerNull>(first) || isa<UndefValue>(first);
    const family &where = m_families.of(null ? second : first), &other = m_families.of(second);
    const bool second_null = isa<ConstantPointerNull>(second) || isa<UndefValue>(second);
    if (!second_null && &where != &other &&
        (where.space != memory_space::global || other.space != memory_space::global)) {
      if (!instruction.isEquality())
        refuse(&instruction, "an order between pointers to different kinds of memory");
      return define(&instruction, number(1, predicate == CmpInst::ICMP_NE));
    }
    a = pointer(first, where);
    b = pointer(second, where);
  } else {
    a = value(first);
    b = value(second);
    if (first->getType()->isIntegerTy(1))
      return define(&instruction, compare_bools(predicate, a, b, instruction));
  }
  spv::Op opcode = spv::OpNop;
  switch (predicate) {
    case CmpInst::ICMP_EQ: opcode = spv::OpIEqual; break;
    case CmpInst::ICMP_NE: opcode = spv::OpINotEqual; break;
    case CmpInst::ICMP_ULT: opcode = spv::OpULessThan; break;
    case CmpInst::ICMP_ULE: opcode = spv::OpULessThanEqual; break;
    case CmpInst::ICMP_UGT: opcode = spv::OpUGreaterThan; break;
    case CmpInst::ICMP_UGE: opcode = spv::OpUGreaterThanEqual; break;
    case CmpInst::ICMP_SLT: opcode = spv::OpSLessThan; break;
    case CmpInst::ICMP_SLE: opcode = spv::OpSLessThanEqual; break;
    case CmpInst::ICMP_SGT: opcode = spv::OpSGreaterThan; break;
    case CmpInst::ICMP_SGE: opcode = spv::OpSGreaterThanEqual; break;
    default: refuse(&instruction, "an integer comparison");
  }
  define(&instruction, emit(opcode, int_type(1), {a, b}));
}

void translator::compare_floats(const FCmpInst& instruction) {
  const id type = int_type(1);
  const id a = value(instruction.getOperand(0)), b = value(instruction.getOperand(1));
  const auto compare = [&](spv::Op opcode) { define(&instruction, emit(opcode, type, {a, b})); };
  switch (instruction.getPredicate()) {
    case CmpInst::FCMP_FALSE: return define(&instruction, number(1, 0));
    case CmpInst::FCMP_TRUE: return define(&instruction, number(1, 1));
    case CmpInst::FCMP_OEQ: return compare(spv::OpFOrdEqual);
    case CmpInst::FCMP_OGT: return compare(spv::OpFOrdGreaterThan);
    case CmpInst::FCMP_OGE: return compare(spv::OpFOrdGreaterThanEqual);
    case CmpInst::FCMP_OLT: return compare(spv::OpFOrdLessThan);
    case CmpInst::FCMP_OLE: return compare(spv::OpFOrdLessThanEqual);
    case CmpInst::FCMP_ONE: return compare(spv::OpFOrdNotEqual);
    case CmpInst::FCMP_UEQ: return compare(spv::OpFUnordEqual);
    case CmpInst::FCMP_UGT: return compare(spv::OpFUnordGreaterThan);
    case CmpInst::FCMP_UGE: return compare(spv::OpFUnordGreaterThanEqual);
    case CmpInst::FCMP_ULT: return compare(spv::OpFUnordLessThan);
    case CmpInst::FCMP_ULE: return compare(spv::OpFUnordLessThanEqual);
    case CmpInst::FCMP_UNE: return compare(spv::OpFUnordNotEqual);
    case CmpInst::FCMP_ORD:
    case CmpInst::FCMP_UNO: {
      // OpOrdered belongs to OpenCL's SPIR-V. A value is not NaN exactly if it equals itself.
      const bool ordered = instruction.getPredicate() == CmpInst::FCMP_ORD;
      const id first = emit(ordered ? spv::OpFOrdEqual : spv::OpFUnordNotEqual, type, {a, a});
      const id second =
          a == b ? first : emit(ordered ? spv::OpFOrdEqual : spv::OpFUnordNotEqual, type, {b, b});
      return define(&instruction,
                    emit(ordered ? spv::OpLogicalAnd : spv::OpLogicalOr, type, {first, second}));
    }
    default: refuse(&instruction, "a float comparison");
  }
}

id translator::sign_extended(id source) {
  const id wide = emit(spv::OpUConvert, int_type(64), {source}), sign = number(64, 0x80000000u);
  return emit(spv::OpISub, int_type(64), {emit(spv::OpBitwiseXor, int_type(64), {wide, sign}), sign});
}

void translator::convert(const CastInst& instruction) {
  const Value* operand = instruction.getOperand(0);
  Type *from = operand->getType(), *to = instruction.getType();
  const auto done = [&](id result) { define(&instruction, result); };
  if (instruction.getOpcode() == Instruction::PtrToInt) {
    const family& where = m_families.of(operand);
    const unsigned bits = where.space == memory_space::global ? 64 : 32;
    return done(resize(pointer(operand, where), bits, to->getIntegerBitWidth(), false));
  }
  const id source = value(operand);
  if (instruction.getOpcode() == Instruction::IntToPtr) {
    const bool global = m_families.of(&instruction).space == memory_space::global;
    return done(resize(source, from->getIntegerBitWidth(), global ? 64 : 32, false));
  }
  if (to->isPointerTy()) return done(source);
  const id type = type_of(&instruction);
  const bool from_bool = from->isIntegerTy(1);
  const auto choose = [&](std::uint64_t yes) {
    const unsigned bits = to->getIntegerBitWidth();
    return emit(spv::OpSelect, type, {source, number(bits, yes), number(bits, 0)});
  };
  switch (instruction.getOpcode()) {
    case Instruction::Trunc:
      if (!to->isIntegerTy(1)) return done(emit(spv::OpUConvert, type, {source}));
      {
        const unsigned bits = from->getIntegerBitWidth();
        const id lowest = emit(spv::OpBitwiseAnd, type_of(operand), {source, number(bits, 1)});
        return done(emit(spv::OpINotEqual, type, {lowest, number(bits, 0)}));
      }
    case Instruction::ZExt: return done(from_bool ? choose(1) : emit(spv::OpUConvert, type, {source}));
    case Instruction::SExt:
      if (sign_may_be_lost(instruction)) return done(sign_extended(source));
      return done(from_bool ? choose(~std::uint64_t{0}) : emit(spv::OpSConvert, type, {source}));
    case Instruction::FPTrunc:
    case Instruction::FPExt: return done(emit(spv::OpFConvert, type, {source}));
    case Instruction::FPToUI:
    case Instruction::FPToSI: {
      const bool is_signed = instruction.getOpcode() == Instruction::FPToSI;
      if (!to->isIntegerTy(1))
        return done(emit(is_signed ? spv::OpConvertFToS : spv::OpConvertFToU, type, {source}));
      const id wide = emit(spv::OpConvertFToS, int_type(32), {source});
      return done(emit(spv::OpINotEqual, type, {wide, number(32, 0)}));
    }
    case Instruction::UIToFP:
    case Instruction::SIToFP: {
      const bool is_signed = instruction.getOpcode() == Instruction::SIToFP;
      if (!from_bool) return done(emit(is_signed ? spv::OpConvertSToF : spv::OpConvertUToF, type, {source}));
      const id wide =
          emit(spv::OpSelect, int_type(32), {source, number(32, is_signed ? ~0u : 1u), number(32, 0)});
      return done(emit(spv::OpConvertSToF, type, {wide}));
    }
    case Instruction::BitCast: return done(from == to ? source : emit(spv::OpBitcast, type, {source}));
    default: refuse(&instruction, std::string("the conversion ") + instruction.getOpcodeName());
  }
}

} // namespace prism::compiler::spirv
