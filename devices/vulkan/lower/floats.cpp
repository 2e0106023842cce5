// Float arithmetic that the device does not do as SYCL and C++ state it.
//
// Vulkan promises a division only within 2.5 units of the last place, and nothing for divisors above 2^126 or
// below 2^-126: a GPU multiplies by a reciprocal, which is 0 for the one and infinite for the other. A
// division becomes a call of one function of the module, which rounds to the nearest. Where the exponents
// allow it the function improves the reciprocal and then the quotient by fused multiply-adds (Markstein 1990,
// "Computation of elementary functions on the IBM RISC System/6000"); otherwise it does so with the
// significands and scales the result. Only a subnormal result may be the other neighbour. Square roots are
// improved alike, from an estimate of the reciprocal root (compared with all floats in [1, 4)). Halves are
// computed as floats, which gives the nearest half. A division or root that the source permits to be inexact
// is without NoContraction, and stays.
#include "devices/vulkan/lower/rewriter.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <utility>

namespace prism::devices::vulkan::lower {

namespace {

constexpr word sign_bit = 0x80000000, infinity = 0x7f800000, fraction_bits = 0x007fffff, one = 0x3f800000,
               one_half = 0x3f000000, smallest = 0x00800000;

} // namespace

id rewriter::single() { return global(spv::OpTypeFloat, 0, {32}); }
id rewriter::real(word bits) { return global(spv::OpConstant, single(), {bits}); }
id rewriter::bits_of_single(id value) { return emit(spv::OpBitcast, m_u32, {value}); }
id rewriter::single_of_bits(id bits) { return emit(spv::OpBitcast, single(), {bits}); }

/// An operation that the driver may not join with others.
id rewriter::exactly(spv::Op code, std::initializer_list<word> operands) {
  const id result = emit(code, single(), operands);
  const words decorated{result, spv::DecorationNoContraction};
  m_annotations.push_back(static_cast<word>((decorated.size() + 1) << 16) | spv::OpDecorate);
  m_annotations.insert(m_annotations.end(), decorated.begin(), decorated.end());
  return result;
}

id rewriter::fused(id a, id b, id c) {
  return exactly(spv::OpExtInst, {glsl_instructions(), GLSLstd450Fma, a, b, c});
}

/// a / b, where neither the reciprocal nor a remainder leaves the range of normal numbers.
id rewriter::refined_quotient(id a, id b) {
  const id minus = emit(spv::OpFNegate, single(), {b});
  const id estimate = exactly(spv::OpFDiv, {real(one), b});
  const id reciprocal = fused(estimate, fused(minus, estimate, real(one)), estimate);
  id quotient = exactly(spv::OpFMul, {a, reciprocal});
  for (int i = 0; i < 2; ++i) quotient = fused(fused(minus, quotient, a), reciprocal, quotient);
  return quotient;
}

/// The exponent of a number that is not 0, as a normal number would have it, and the significand in [1, 2).
pair rewriter::exponent_and_significand(id bits) {
  const id field =
      u32(spv::OpBitwiseAnd, {u32(spv::OpShiftRightLogical, {bits, constant(23)}), constant(255)});
  const id fraction = u32(spv::OpBitwiseAnd, {bits, constant(fraction_bits)});
  const id is_subnormal = test(spv::OpIEqual, {field, constant(0)});
  const id top = most_significant_bit(u32(spv::OpBitwiseOr, {fraction, constant(1)}));
  const id by = choose(is_subnormal, u32(spv::OpISub, {constant(23), top}), constant(0));
  const id normal =
      u32(spv::OpBitwiseAnd, {u32(spv::OpShiftLeftLogical, {fraction, by}), constant(fraction_bits)});
  const id exponent = choose(is_subnormal, u32(spv::OpISub, {constant(1), by}), field);
  return {exponent, single_of_bits(u32(spv::OpBitwiseOr, {normal, constant(one)}))};
}

/// The quotient of significands, times a power of 2 in two steps.
id rewriter::scaled_quotient(id a_bits, id b_bits) {
  const pair a = exponent_and_significand(a_bits), b = exponent_and_significand(b_bits);
  const id apart = u32(spv::OpISub, {a.low, b.low});
  const auto limited = [&](spv::Op beyond, id value, word limit) {
    return choose(test(beyond, {value, constant(limit)}), constant(limit), value);
  };
  const id by = limited(spv::OpSLessThan, limited(spv::OpSGreaterThan, apart, 200), word(-200));
  const id first = u32(spv::OpShiftRightArithmetic, {by, constant(1)});
  const auto power = [&](id exponent) {
    const id biased = u32(spv::OpIAdd, {exponent, constant(127)});
    return single_of_bits(u32(spv::OpShiftLeftLogical, {biased, constant(23)}));
  };
  const id half = exactly(spv::OpFMul, {refined_quotient(a.high, b.high), power(first)});
  const id size = exactly(spv::OpFMul, {half, power(u32(spv::OpISub, {by, first}))});
  const id sign = u32(spv::OpBitwiseAnd, {u32(spv::OpBitwiseXor, {a_bits, b_bits}), constant(sign_bit)});
  return single_of_bits(u32(spv::OpBitwiseOr, {bits_of_single(size), sign}));
}

/// a / b for any numbers. If one is zero, infinite or no number, the other counts only as such or by its
/// sign.
id rewriter::any_quotient(id a_bits, id b_bits) {
  const auto is_number = [&](id bits) { // neither 0 nor infinite
    const id size = u32(spv::OpBitwiseAnd, {bits, constant(~sign_bit)});
    return test(spv::OpULessThan, {u32(spv::OpISub, {size, constant(1)}), constant(infinity - 1)});
  };
  const auto simple = [&](id bits, id number) {
    const id unit =
        u32(spv::OpBitwiseOr, {u32(spv::OpBitwiseAnd, {bits, constant(sign_bit)}), constant(one)});
    return single_of_bits(choose(number, unit, bits));
  };
  const id a_is_number = is_number(a_bits), b_is_number = is_number(b_bits);
  const id special = exactly(spv::OpFDiv, {simple(a_bits, a_is_number), simple(b_bits, b_is_number)});
  const id numbers = test(spv::OpLogicalAnd, {a_is_number, b_is_number});
  return emit(spv::OpSelect, single(), {numbers, scaled_quotient(a_bits, b_bits), special});
}

id rewriter::float_division_function() {
  if (m_divide_floats != 0) return m_divide_floats;
  const id type = global(spv::OpTypeFunction, 0, {single(), single(), single()});
  words* const before = std::exchange(m_code, &m_helpers);
  const auto pairs_before = std::exchange(m_pairs_here, {});
  m_divide_floats = fresh();
  emit_as(m_divide_floats, spv::OpFunction, single(), {spv::FunctionControlMaskNone, type});
  const id a = emit(spv::OpFunctionParameter, single(), {});
  const id b = emit(spv::OpFunctionParameter, single(), {});
  const id quick = fresh(), careful = fresh(), end = fresh();
  op(spv::OpLabel, {fresh()});
  const id a_bits = bits_of_single(a), b_bits = bits_of_single(b);
  const auto field = [&](id bits) {
    return u32(spv::OpBitwiseAnd, {u32(spv::OpShiftRightLogical, {bits, constant(23)}), constant(255)});
  };
  const auto within = [&](id value, word first, word count) {
    return test(spv::OpULessThan, {u32(spv::OpISub, {value, constant(first)}), constant(count)});
  };
  const id a_field = field(a_bits), b_field = field(b_bits);
  // b, its reciprocal and the quotient are normal; 2^-48 of a is a number, and twice a is.
  const id both = test(spv::OpLogicalAnd, {within(b_field, 1, 252), within(a_field, 30, 223)});
  const id result_fits = within(u32(spv::OpISub, {a_field, b_field}), word(-124), 250);
  const id is_usual = test(spv::OpLogicalAnd, {both, result_fits});
  op(spv::OpSelectionMerge, {end, spv::SelectionControlMaskNone});
  op(spv::OpBranchConditional, {is_usual, quick, careful});
  op(spv::OpLabel, {quick});
  const id usual = refined_quotient(a, b);
  op(spv::OpBranch, {end});
  op(spv::OpLabel, {careful});
  const id other = any_quotient(a_bits, b_bits);
  op(spv::OpBranch, {end});
  op(spv::OpLabel, {end});
  op(spv::OpReturnValue, {emit(spv::OpPhi, single(), {usual, quick, other, careful})});
  op(spv::OpFunctionEnd, {});
  m_pairs_here = pairs_before;
  m_code = before;
  return m_divide_floats;
}

/// The root of a normal number of medium size: root and half of the reciprocal root improve each other.
id rewriter::refined_root(id x) {
  const id estimate = exactly(spv::OpExtInst, {glsl_instructions(), GLSLstd450InverseSqrt, x});
  const id first = exactly(spv::OpFMul, {x, estimate}),
           half = exactly(spv::OpFMul, {estimate, real(one_half)});
  const id error = fused(emit(spv::OpFNegate, single(), {half}), first, real(one_half));
  const id root = fused(first, error, first), slope = fused(half, error, half);
  return fused(fused(emit(spv::OpFNegate, single(), {root}), root, x), slope, root);
}

id rewriter::root_function() {
  if (m_root != 0) return m_root;
  const id type = global(spv::OpTypeFunction, 0, {single(), single()});
  words* const before = std::exchange(m_code, &m_helpers);
  const auto pairs_before = std::exchange(m_pairs_here, {});
  m_root = fresh();
  emit_as(m_root, spv::OpFunction, single(), {spv::FunctionControlMaskNone, type});
  const id x = emit(spv::OpFunctionParameter, single(), {});
  op(spv::OpLabel, {fresh()});
  const id bits = bits_of_single(x);
  const id field = u32(spv::OpShiftRightLogical, {bits, constant(23)}); // and the sign
  const id is_small = test(spv::OpULessThan, {field, constant(30)});
  const id is_large = test(spv::OpUGreaterThan, {field, constant(252)});
  const auto factor = [&](word exponent) { // 2^exponent for small numbers, its reciprocal for large ones
    const id other = choose(is_large, constant((127 - exponent) << 23), constant(one));
    return single_of_bits(choose(is_small, constant((127 + exponent) << 23), other));
  };
  const id scaled = exactly(spv::OpFMul, {x, factor(64)});
  const id root = exactly(spv::OpFMul, {refined_root(scaled), factor(word(-32))});
  const id rest = u32(spv::OpISub, {bits, constant(smallest)});
  const id is_normal = test(spv::OpULessThan, {rest, constant(infinity - smallest)}); // and above 0
  const id special = exactly(spv::OpExtInst, {glsl_instructions(), GLSLstd450Sqrt, x});
  op(spv::OpReturnValue, {emit(spv::OpSelect, single(), {is_normal, root, special})});
  op(spv::OpFunctionEnd, {});
  m_pairs_here = pairs_before;
  m_code = before;
  return m_root;
}

/// Replaces a division or square root that must be exact. Returns whether it did.
bool rewriter::exact_float(const instruction& i) {
  const auto& o = i.operands;
  if (!m_lacks.exact_floats || o.size() < 4 || m_exact.count(o[1]) == 0) return false;
  const bool divides = i.code == spv::OpFDiv;
  if (!divides && (i.code != spv::OpExtInst || o[2] != m_glsl || o[3] != GLSLstd450Sqrt)) return false;
  const type_info& type = m_types.at(o[0]);
  if (type.code != spv::OpTypeFloat || type.bits > 32) return false;
  const auto operand = [&](std::size_t k) {
    return type.bits == 32 ? o[k] : emit(spv::OpFConvert, single(), {o[k]});
  };
  const id function = divides ? float_division_function() : root_function();
  words call{single(), type.bits == 32 ? o[1] : fresh(), function, operand(divides ? 2 : 4)};
  if (divides) call.push_back(operand(3));
  op(spv::OpFunctionCall, call);
  if (type.bits != 32) emit_as(o[1], spv::OpFConvert, o[0], {call[1]});
  return true;
}

/// Asks for subnormal numbers of the widths that a device keeps on request.
void rewriter::keep_subnormals() {
  if (m_lacks.subnormals == 0 || m_entries.empty()) return;
  m_capabilities.insert(m_capabilities.end(),
                        {(2u << 16) | spv::OpCapability, spv::CapabilityDenormPreserve});
  for (const words& entry : m_entries)
    for (const word bits : {16u, 32u, 64u})
      if (m_lacks.subnormals & bits)
        m_modes.insert(m_modes.end(),
                       {(4u << 16) | spv::OpExecutionMode, entry[1], spv::ExecutionModeDenormPreserve, bits});
}

} // namespace prism::devices::vulkan::lower
