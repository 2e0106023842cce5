// 8- and 16-bit integers as 32-bit words that hold their zero-extended value.
#include "devices/vulkan/lower/rewriter.hpp"

namespace prism::devices::vulkan::lower {

id rewriter::sign_extended(id value, unsigned bits) {
  const id amount = constant(32 - bits);
  return u32(spv::OpShiftRightArithmetic, {u32(spv::OpShiftLeftLogical, {value, amount}), amount});
}

id rewriter::masked(id value, unsigned bits) {
  return u32(spv::OpBitwiseAnd, {value, constant((1u << bits) - 1)});
}

void rewriter::define_narrow(id result, id value, unsigned bits) {
  emit_as(result, spv::OpBitwiseAnd, m_u32, {value, constant((1u << bits) - 1)});
}

bool rewriter::narrow_arithmetic(const instruction& i) {
  const auto& o = i.operands;
  const unsigned bits = integer_bits(o[0]);
  const id result = o[1];
  switch (i.code) {
    case spv::OpIAdd:
    case spv::OpISub:
    case spv::OpIMul: define_narrow(result, u32(i.code, {o[2], o[3]}), bits); return true;
    case spv::OpSNegate:
    case spv::OpNot: define_narrow(result, u32(i.code, {o[2]}), bits); return true;
    case spv::OpShiftLeftLogical:
      define_narrow(result, u32(i.code, {o[2], shift_amount(o[3])}), bits);
      return true;
    case spv::OpShiftRightLogical: emit_as(result, i.code, m_u32, {o[2], shift_amount(o[3])}); return true;
    case spv::OpShiftRightArithmetic:
      define_narrow(result, u32(i.code, {sign_extended(o[2], bits), shift_amount(o[3])}), bits);
      return true;
    case spv::OpUDiv:
    case spv::OpUMod:
    case spv::OpBitwiseAnd:
    case spv::OpBitwiseOr:
    case spv::OpBitwiseXor: emit_as(result, i.code, m_u32, {o[2], o[3]}); return true;
    case spv::OpSDiv:
    case spv::OpSRem:
      define_narrow(result, u32(i.code, {sign_extended(o[2], bits), sign_extended(o[3], bits)}), bits);
      return true;
    default: return false;
  }
}

void rewriter::narrow_comparison(const instruction& i) {
  const auto& o = i.operands;
  const unsigned bits = bits_of(o[2]);
  const bool is_signed = i.code == spv::OpSLessThan || i.code == spv::OpSLessThanEqual ||
                         i.code == spv::OpSGreaterThan || i.code == spv::OpSGreaterThanEqual;
  const id a = is_signed ? sign_extended(o[2], bits) : o[2];
  const id b = is_signed ? sign_extended(o[3], bits) : o[3];
  emit_as(o[1], i.code, m_bool, {a, b});
}

} // namespace prism::devices::vulkan::lower
