// Constants, ids of SSA values, and conversions between their forms.
#include <bit>

#include "compiler/spirv/translator.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler::spirv {

using namespace llvm;

id translator::int_type(unsigned bits) {
  switch (bits) {
    case 1: return m_builder.type_bool();
    case 8: need(image::int8); break;
    case 16: need(image::int16); break;
    case 32: break;
    case 64: need(image::int64); break;
    default: throw refused{"integers of " + std::to_string(bits) + " bits"};
  }
  return m_builder.type_int(bits);
}

id translator::float_type(unsigned bits) {
  m_float_widths |= bits;
  if (bits == 16) need(image::fp16);
  if (bits == 64) need(image::fp64);
  return m_builder.type_float(bits);
}

id translator::scalar_type(Type* type, const Instruction* at) {
  if (type->isIntegerTy()) {
    const unsigned bits = type->getIntegerBitWidth();
    if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
      refuse(at, "an integer of " + std::to_string(bits) + " bits");
    return int_type(bits);
  }
  if (type->isHalfTy()) return float_type(16);
  if (type->isFloatTy()) return float_type(32);
  if (type->isDoubleTy()) return float_type(64);
  std::string name;
  raw_string_ostream(name) << *type;
  refuse(at, "a value of type " + name);
}

id translator::pointer_type(const family& where) {
  return int_type(where.space == memory_space::global ? 64 : 32);
}

id translator::type_of(const Value* value) {
  if (const auto found = m_matrices.find(value); found != m_matrices.end()) return matrix_type(found->second);
  if (value->getType()->isPointerTy()) return pointer_type(m_families.of(value));
  return scalar_type(value->getType(), dyn_cast<Instruction>(value));
}

id translator::number(unsigned bits, std::uint64_t pattern) {
  if (bits == 1) return m_builder.constant_bool((pattern & 1) != 0);
  if (bits < 64) pattern &= (std::uint64_t{1} << bits) - 1;
  const id result = m_builder.constant(int_type(bits), bits, pattern);
  m_known[result] = pattern;
  return result;
}

std::optional<std::uint64_t> translator::known(id value) const {
  const auto found = m_known.find(value);
  if (found == m_known.end()) return std::nullopt;
  return found->second;
}

id translator::constant(const Constant* constant) {
  Type* type = constant->getType();
  if (const auto* integer = dyn_cast<ConstantInt>(constant)) {
    scalar_type(type, nullptr);
    return number(type->getIntegerBitWidth(), integer->getZExtValue());
  }
  const id spirv_type = scalar_type(type, nullptr);
  if (const auto* real = dyn_cast<ConstantFP>(constant))
    return m_builder.constant(spirv_type, type->getPrimitiveSizeInBits(),
                              real->getValueAPF().bitcastToAPInt().getZExtValue());
  // Undefined values are zero everywhere. Any value is allowed, and `freeze` needs the same one each time.
  if (isa<UndefValue>(constant) || constant->isNullValue())
    return type->isIntegerTy() ? number(type->getIntegerBitWidth(), 0) : m_builder.constant_null(spirv_type);
  if (const auto* expression = dyn_cast<ConstantExpr>(constant)) {
    if (expression->getOpcode() == Instruction::PtrToInt) {
      const Constant* from = expression->getOperand(0);
      const family& where = m_families.of(from);
      return resize(pointer(from, where), where.space == memory_space::global ? 64 : 32,
                    type->getIntegerBitWidth(), false);
    }
  }
  std::string text;
  raw_string_ostream(text) << *constant;
  throw refused{"the constant " + text};
}

id translator::pointer(const Value* what, const family& where) {
  const unsigned bits = where.space == memory_space::global ? 64 : 32;
  if (isa<ConstantPointerNull>(what) || isa<UndefValue>(what)) return number(bits, 0);
  if (isa<GlobalVariable>(what)) return number(32, where.bias + m_families.offset_of(what));
  if (const auto* address = dyn_cast<GEPOperator>(what); address != nullptr && isa<ConstantExpr>(what))
    return add(bits, pointer(address->getPointerOperand(), where), address_offset(*address, bits, 1));
  if (const auto* expression = dyn_cast<ConstantExpr>(what)) {
    if (expression->getOpcode() == Instruction::IntToPtr)
      return resize(value(expression->getOperand(0)),
                    expression->getOperand(0)->getType()->getIntegerBitWidth(), bits, false);
    if (expression->isCast()) return pointer(expression->getOperand(0), where);
  }
  return value(what);
}

id translator::value(const Value* what) {
  const auto found = m_values.find(what);
  if (found != m_values.end()) return found->second;
  if (what->getType()->isPointerTy() && isa<Constant>(what)) return pointer(what, m_families.of(what));
  if (const auto* known_value = dyn_cast<Constant>(what)) return constant(known_value);
  std::string text;
  raw_string_ostream(text) << *what;
  throw refused{"internal: a value is used before its definition: " + text};
}

id translator::emit(spv::Op opcode, id type, std::initializer_list<word> operands) {
  const id result = m_builder.fresh();
  std::vector<word> all{type, result};
  all.insert(all.end(), operands);
  m_code->op(opcode, all);
  return result;
}

id translator::glsl(word function, id type, std::initializer_list<word> operands) {
  const id result = m_builder.fresh();
  std::vector<word> all{type, result, m_builder.glsl(), function};
  all.insert(all.end(), operands);
  m_code->op(spv::OpExtInst, all);
  return result;
}

id translator::add(unsigned bits, id a, id b) {
  const auto first = known(a), second = known(b);
  if (first && second) return number(bits, *first + *second);
  if (first && *first == 0) return b;
  if (second && *second == 0) return a;
  return emit(spv::OpIAdd, int_type(bits), {a, b});
}

id translator::multiply(unsigned bits, id a, std::uint64_t factor) {
  if (const auto first = known(a)) return number(bits, *first * factor);
  if (factor == 1) return a;
  if (std::has_single_bit(factor))
    return emit(spv::OpShiftLeftLogical, int_type(bits),
                {a, number(32, static_cast<unsigned>(std::countr_zero(factor)))});
  return emit(spv::OpIMul, int_type(bits), {a, number(bits, factor)});
}

id translator::shift_right(unsigned bits, id a, unsigned amount) {
  if (amount == 0) return a;
  if (const auto first = known(a)) return number(bits, *first >> amount);
  return emit(spv::OpShiftRightLogical, int_type(bits), {a, number(32, amount)});
}

id translator::resize(id value, unsigned from, unsigned to, bool is_signed) {
  if (from == to) return value;
  if (const auto first = known(value)) {
    std::uint64_t pattern = *first;
    if (is_signed && from < 64 && ((pattern >> (from - 1)) & 1) != 0) pattern |= ~std::uint64_t{0} << from;
    return number(to, pattern);
  }
  return emit(is_signed && to > from ? spv::OpSConvert : spv::OpUConvert, int_type(to), {value});
}

} // namespace prism::compiler::spirv
