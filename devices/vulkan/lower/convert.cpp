// Conversions from and to integers that the device lacks.
#include "devices/vulkan/lower/rewriter.hpp"

#include <algorithm>

namespace prism::devices::vulkan::lower {

/// The value as a 32-bit word, extended or cut.
id rewriter::as_word(id value, bool is_signed) {
  const id type = type_of(value);
  const unsigned bits = integer_bits(type);
  if (is_pair(type)) return parts(value).low;
  if (is_narrow(type)) return is_signed ? sign_extended(value, bits) : value;
  if (bits == 32) return value;
  return u32(is_signed && bits < 32 ? spv::OpSConvert : spv::OpUConvert, {value});
}

/// Defines a value of `type` that a word holds, extended by its sign or by zeros.
void rewriter::from_word(id result, id type, id value, bool is_signed) {
  const unsigned bits = integer_bits(type);
  if (is_pair(type)) {
    const id high = is_signed ? u32(spv::OpShiftRightArithmetic, {value, constant(31)}) : constant(0);
    return define(result, {value, high});
  }
  if (is_narrow(type)) return define_narrow(result, value, bits);
  if (bits == 32) return emit_as(result, spv::OpCopyObject, type, {value});
  emit_as(result, is_signed && bits > 32 ? spv::OpSConvert : spv::OpUConvert, type, {value});
}

void rewriter::integer_conversion(const instruction& i) {
  const auto& o = i.operands;
  const bool is_signed = i.code == spv::OpSConvert;
  from_word(o[1], o[0], as_word(o[2], is_signed), is_signed);
}

/// Converts 31 bits that begin with the first one, the last of them set if any bit after them is, and scales
/// the result: the only rounding is that of the conversion. More than 31 bits would be unsigned, which some
/// drivers round twice.
void rewriter::float_from_pair(id result, id type, pair value, bool is_signed) {
  const id sign = is_signed ? u32(spv::OpShiftRightArithmetic, {value.high, constant(31)}) : constant(0);
  if (is_signed) value = with_sign(value, sign);
  const id in_high = test(spv::OpINotEqual, {value.high, constant(0)});
  const id top = most_significant_bit(choose(in_high, value.high, value.low));
  // The number of bits above the first one; 32 and more for a small value, 0 for 0, where it does not matter.
  const id above = u32(spv::OpISub, {choose(in_high, constant(31), constant(63)), top});
  const id is_zero = test(spv::OpIEqual, {u32(spv::OpBitwiseOr, {value.low, value.high}), constant(0)});
  const id amount = choose(is_zero, constant(0), above);
  const pair normal = shift(spv::OpShiftLeftLogical, value, amount);
  const id cut = u32(spv::OpBitwiseOr, {normal.low, u32(spv::OpBitwiseAnd, {normal.high, constant(1)})});
  const id sticky = choose(test(spv::OpINotEqual, {cut, constant(0)}), constant(1), constant(0));
  const id leading =
      u32(spv::OpBitwiseOr, {u32(spv::OpShiftRightLogical, {normal.high, constant(1)}), sticky});
  const id single = global(spv::OpTypeFloat, 0, {32});
  const id whole = emit(spv::OpConvertSToF, single, {leading});
  const id exponent = u32(spv::OpISub, {constant(127 + 33), amount}); // value = leading * 2^(33 - amount)
  const id scale = emit(spv::OpBitcast, single, {u32(spv::OpShiftLeftLogical, {exponent, constant(23)})});
  const id magnitude = emit(spv::OpFMul, single, {whole, scale});
  const id negative = emit(spv::OpFNegate, single, {magnitude});
  const id is_negative = test(spv::OpINotEqual, {sign, constant(0)});
  const id found = emit(spv::OpSelect, single, {is_negative, negative, magnitude});
  const bool same = type == single;
  emit_as(result, same ? spv::OpCopyObject : spv::OpFConvert, type, {found});
}

void rewriter::float_from_integer(const instruction& i) {
  const auto& o = i.operands;
  const bool is_signed = i.code == spv::OpConvertSToF;
  if (!is_pair(type_of(o[2]))) return emit_as(o[1], i.code, o[0], {as_word(o[2], is_signed)});
  const pair value = parts(o[2]);
  if (m_types.at(o[0]).bits != 64) return float_from_pair(o[1], o[0], value, is_signed);
  // Both words are exact in a double, and so is the upper one's multiple of 2^32: the sum rounds once.
  const id scale = global(spv::OpConstant, o[0], {0, 0x41f00000}); // 2^32
  const id high = emit(is_signed ? spv::OpConvertSToF : spv::OpConvertUToF, o[0], {value.high});
  const id low = emit(spv::OpConvertUToF, o[0], {value.low});
  const id scaled = emit(spv::OpFMul, o[0], {high, scale});
  emit_as(o[1], spv::OpFAdd, o[0], {scaled, low});
}

/// The whole part of the magnitude of a float whose value fits into 64 bits.
pair rewriter::pair_from_single(id value) {
  const id bits = u32(spv::OpBitcast, {value});
  const id exponent =
      u32(spv::OpBitwiseAnd, {u32(spv::OpShiftRightLogical, {bits, constant(23)}), constant(0xff)});
  const id fraction =
      u32(spv::OpBitwiseOr, {u32(spv::OpBitwiseAnd, {bits, constant(0x7fffff)}), constant(0x800000)});
  const id up = u32(spv::OpISub, {exponent, constant(150)}),
           down = u32(spv::OpISub, {constant(150), exponent});
  const id is_large = test(spv::OpUGreaterThanEqual, {exponent, constant(150)});
  const id is_small = test(spv::OpULessThan, {exponent, constant(127)});
  const pair raised = shift(spv::OpShiftLeftLogical, {fraction, constant(0)}, up);
  const id within = u32(spv::OpBitwiseAnd, {down, constant(31)});
  const id lowered = choose(is_small, constant(0), u32(spv::OpShiftRightLogical, {fraction, within}));
  return {choose(is_large, raised.low, lowered), choose(is_large, raised.high, constant(0))};
}

/// The same of a double, which holds both parts exactly.
pair rewriter::pair_from_double(id value) {
  const id type = type_of(value);
  const id down = global(spv::OpConstant, type, {0, 0x3df00000}),
           up = global(spv::OpConstant, type, {0, 0x41f00000});
  const id high = u32(spv::OpConvertFToU, {emit(spv::OpFMul, type, {value, down})});
  const id above = emit(spv::OpFMul, type, {emit(spv::OpConvertUToF, type, {high}), up});
  return {u32(spv::OpConvertFToU, {emit(spv::OpFSub, type, {value, above})}), high};
}

pair rewriter::pair_from_float(id value, unsigned bits, bool is_signed) {
  if (bits == 16) value = emit(spv::OpFConvert, global(spv::OpTypeFloat, 0, {32}), {value});
  if (bits != 64) {
    const pair magnitude = pair_from_single(value);
    if (!is_signed) return magnitude;
    return with_sign(magnitude,
                     u32(spv::OpShiftRightArithmetic, {u32(spv::OpBitcast, {value}), constant(31)}));
  }
  if (!is_signed) return pair_from_double(value);
  const id type = type_of(value), zero = global(spv::OpConstant, type, {0, 0});
  const id is_negative = test(spv::OpFOrdLessThan, {value, zero});
  const id negated = emit(spv::OpFNegate, type, {value});
  const id magnitude = emit(spv::OpSelect, type, {is_negative, negated, value});
  m_type_of[magnitude] = type;
  return with_sign(pair_from_double(magnitude), choose(is_negative, constant(~0u), constant(0)));
}

void rewriter::integer_from_float(const instruction& i) {
  const auto& o = i.operands;
  const bool is_signed = i.code == spv::OpConvertFToS;
  if (is_pair(o[0])) return define(o[1], pair_from_float(o[2], m_types.at(type_of(o[2])).bits, is_signed));
  define_narrow(o[1], u32(i.code, {o[2]}), integer_bits(o[0]));
}

/// Between a half and 16 bits in a word. A double and two words need nothing.
bool rewriter::bit_cast(const instruction& i) {
  const auto& o = i.operands;
  const auto from = m_types.find(type_of(o[2])), to = m_types.find(o[0]);
  const bool from_half = from != m_types.end() && from->second.code == spv::OpTypeFloat && is_narrow(o[0]);
  const bool to_half = to != m_types.end() && to->second.code == spv::OpTypeFloat && is_narrow(type_of(o[2]));
  if (from_half) {
    const id half = type_of(o[2]), zero = global(spv::OpConstantNull, half, {});
    const id both = emit(spv::OpCompositeConstruct, global(spv::OpTypeVector, 0, {half, 2}), {o[2], zero});
    emit_as(o[1], spv::OpBitcast, m_u32, {both});
    return true;
  }
  if (to_half) {
    const id both = emit(spv::OpBitcast, global(spv::OpTypeVector, 0, {o[0], 2}), {o[2]});
    emit_as(o[1], spv::OpCompositeExtract, o[0], {both, 0});
    return true;
  }
  keep(i);
  return true;
}

bool rewriter::conversion(const instruction& i) {
  const auto& o = i.operands;
  switch (i.code) {
    case spv::OpUConvert:
    case spv::OpSConvert:
      if (!is_lowered(o[0]) && !is_lowered(type_of(o[2]))) return false;
      integer_conversion(i);
      return true;
    case spv::OpConvertUToF:
    case spv::OpConvertSToF:
      if (!is_lowered(type_of(o[2]))) return false;
      float_from_integer(i);
      return true;
    case spv::OpConvertFToU:
    case spv::OpConvertFToS:
      if (!is_lowered(o[0])) return false;
      integer_from_float(i);
      return true;
    case spv::OpBitcast:
      if (!is_lowered(o[0]) && !is_lowered(type_of(o[2]))) return false;
      return bit_cast(i);
    default: return false;
  }
}

} // namespace prism::devices::vulkan::lower
