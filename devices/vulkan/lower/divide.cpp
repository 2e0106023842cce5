// Division of 64-bit integers by 32-bit words: one function of the module, which all divisions call.
//
// After Knuth's algorithm D as in H. S. Warren, Hacker's Delight (udivdi3, divlu): a divisor of one word
// takes two steps, a larger one is divided by its normalised upper word, which is at most one too large. It
// has no loops: llvmpipe ends long loops early, and its limit is for all loops of a work-item together.
#include "devices/vulkan/lower/rewriter.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <utility>

namespace prism::devices::vulkan::lower {

id rewriter::glsl_instructions() {
  if (m_glsl == 0) {
    m_glsl = fresh();
    const words name{0x4c534c47, 0x6474732e, 0x3035342e, 0}; // "GLSL.std.450"
    m_imports.push_back(static_cast<word>((name.size() + 2) << 16) | spv::OpExtInstImport);
    m_imports.push_back(m_glsl);
    m_imports.insert(m_imports.end(), name.begin(), name.end());
  }
  return m_glsl;
}

id rewriter::most_significant_bit(id value) {
  return u32(spv::OpExtInst, {glsl_instructions(), GLSLstd450FindUMsb, value});
}

/// One digit of 16 bits of numerator:next / divisor, and the remainder before the next digit.
pair rewriter::digit(id numerator, id next, id divisor) {
  const id upper = u32(spv::OpShiftRightLogical, {divisor, constant(16)});
  const id lower = u32(spv::OpBitwiseAnd, {divisor, constant(0xffff)});
  id quotient = u32(spv::OpUDiv, {numerator, upper});
  id rest = u32(spv::OpISub, {numerator, u32(spv::OpIMul, {quotient, upper})});
  for (int i = 0; i < 2; ++i) { // at most 2 too large
    const id bound = u32(spv::OpBitwiseOr, {u32(spv::OpShiftLeftLogical, {rest, constant(16)}), next});
    const id exceeds = test(spv::OpUGreaterThan, {u32(spv::OpIMul, {quotient, lower}), bound});
    const id is_wide = test(spv::OpUGreaterThanEqual, {quotient, constant(1u << 16)});
    const id fits = test(spv::OpULessThan, {rest, constant(1u << 16)});
    const id wrong = test(spv::OpLogicalAnd, {fits, test(spv::OpLogicalOr, {is_wide, exceeds})});
    quotient = u32(spv::OpISub, {quotient, choose(wrong, constant(1), constant(0))});
    rest = u32(spv::OpIAdd, {rest, choose(wrong, upper, constant(0))});
  }
  const id shifted = u32(spv::OpShiftLeftLogical, {numerator, constant(16)});
  const id all = u32(spv::OpIAdd, {shifted, next});
  return {quotient, u32(spv::OpISub, {all, u32(spv::OpIMul, {quotient, divisor})})};
}

/// high:low / divisor, for a quotient of one word: the quotient and the remainder.
pair rewriter::divide_words(id high, id low, id divisor) {
  const id by =
      u32(spv::OpBitwiseAnd, {u32(spv::OpISub, {constant(31), most_significant_bit(divisor)}), constant(31)});
  const id normal = u32(spv::OpShiftLeftLogical, {divisor, by});
  const pair numerator = shift(spv::OpShiftLeftLogical, {low, high}, by);
  const id next = u32(spv::OpShiftRightLogical, {numerator.low, constant(16)});
  const id last = u32(spv::OpBitwiseAnd, {numerator.low, constant(0xffff)});
  const pair first = digit(numerator.high, next, normal), second = digit(first.high, last, normal);
  const id quotient = u32(spv::OpIAdd, {u32(spv::OpShiftLeftLogical, {first.low, constant(16)}), second.low});
  return {quotient, u32(spv::OpShiftRightLogical, {second.high, by})};
}

/// A function of numerator and divisor, whose result has the quotient and then the remainder, low words
/// first.
id rewriter::division_function() {
  if (m_divide != 0) return m_divide;
  const id quad = global(spv::OpTypeVector, 0, {m_u32, 4});
  const id type = global(spv::OpTypeFunction, 0, {quad, m_pair, m_pair});
  words* const before = std::exchange(m_code, &m_helpers);
  const auto pairs_before = std::exchange(m_pairs_here, {});
  m_divide = fresh();
  emit_as(m_divide, spv::OpFunction, quad, {spv::FunctionControlMaskNone, type});
  const pair n = [&] {
    const id first = emit(spv::OpFunctionParameter, m_pair, {});
    const id second = emit(spv::OpFunctionParameter, m_pair, {});
    return pair{first, second};
  }();
  op(spv::OpLabel, {fresh()});
  const pair numerator = parts(n.low), divisor = parts(n.high);
  const id is_short = test(spv::OpIEqual, {divisor.high, constant(0)});
  const id safe = choose(is_short, divisor.low, constant(1));
  const id upper_quotient = u32(spv::OpUDiv, {numerator.high, safe});
  const id upper_rest = u32(spv::OpISub, {numerator.high, u32(spv::OpIMul, {upper_quotient, safe})});
  const id by = u32(spv::OpBitwiseAnd,
                    {u32(spv::OpISub, {constant(31), most_significant_bit(divisor.high)}), constant(31)});
  const pair normal = shift(spv::OpShiftLeftLogical, divisor, by);
  const pair half = shift_by(spv::OpShiftRightLogical, numerator, 1);
  const pair one_word =
      divide_words(choose(is_short, upper_rest, half.high), choose(is_short, numerator.low, half.low),
                   choose(is_short, divisor.low, normal.high));
  // A long divisor: the estimate, made one smaller, is right or one too small.
  const id rest_of_by = u32(spv::OpISub, {constant(31), by});
  const id estimate = u32(spv::OpShiftRightLogical, {one_word.low, rest_of_by});
  const id has_some = test(spv::OpINotEqual, {estimate, constant(0)});
  const id smaller = u32(spv::OpISub, {estimate, choose(has_some, constant(1), constant(0))});
  const pair rest = subtract(numerator, multiply({smaller, constant(0)}, divisor));
  const id fits_again = test(spv::OpLogicalNot, {less(false, rest, divisor)});
  const id quotient = u32(spv::OpIAdd, {smaller, choose(fits_again, constant(1), constant(0))});
  const pair less_rest = subtract(rest, divisor);
  const id rest_low = choose(fits_again, less_rest.low, rest.low);
  const id rest_high = choose(fits_again, less_rest.high, rest.high);
  const id result =
      emit(spv::OpCompositeConstruct, quad,
           {choose(is_short, one_word.low, quotient), choose(is_short, upper_quotient, constant(0)),
            choose(is_short, one_word.high, rest_low), choose(is_short, constant(0), rest_high)});
  op(spv::OpReturnValue, {result});
  op(spv::OpFunctionEnd, {});
  m_pairs_here = pairs_before;
  m_code = before;
  return m_divide;
}

void rewriter::divide(const instruction& i) {
  const auto& o = i.operands;
  const bool is_signed = i.code == spv::OpSDiv || i.code == spv::OpSRem;
  const bool asks_rest = i.code == spv::OpUMod || i.code == spv::OpSRem;
  pair a = parts(o[2]), b = parts(o[3]);
  id sign_a = 0, sign = 0, numerator = o[2], divisor = o[3];
  const auto whole = [&](pair value) {
    return emit(spv::OpCompositeConstruct, m_pair, {value.low, value.high});
  };
  if (is_signed) {
    sign_a = u32(spv::OpShiftRightArithmetic, {a.high, constant(31)});
    const id sign_b = u32(spv::OpShiftRightArithmetic, {b.high, constant(31)});
    sign = asks_rest ? sign_a : u32(spv::OpBitwiseXor, {sign_a, sign_b});
    numerator = whole(with_sign(a, sign_a));
    divisor = whole(with_sign(b, sign_b));
  }
  const id function = division_function();
  const id quad = global(spv::OpTypeVector, 0, {m_u32, 4});
  const id all = emit(spv::OpFunctionCall, quad, {function, numerator, divisor});
  const word first = asks_rest ? 2 : 0;
  pair found{u32(spv::OpCompositeExtract, {all, first}), u32(spv::OpCompositeExtract, {all, first + 1})};
  if (is_signed) found = with_sign(found, sign);
  define(o[1], found);
}

} // namespace prism::devices::vulkan::lower
