// 64-bit integers as two 32-bit words. Straight code without branches: a choice costs less than a branch that
// splits a sub-group.
#include "devices/vulkan/lower/rewriter.hpp"

namespace prism::devices::vulkan::lower {

pair rewriter::parts(id value) {
  if (const auto made = m_pairs.find(value); made != m_pairs.end()) return made->second;
  if (const auto made = m_pairs_here.find(value); made != m_pairs_here.end()) return made->second;
  const pair taken{u32(spv::OpCompositeExtract, {value, 0}), u32(spv::OpCompositeExtract, {value, 1})};
  m_pairs_here[value] = taken;
  return taken;
}

void rewriter::define(id result, pair value) {
  emit_as(result, spv::OpCompositeConstruct, m_pair, {value.low, value.high});
  m_pairs[result] = value; // its words were made before it, so they are known wherever it is
}

/// An amount, of a type of any width, as a word.
id rewriter::shift_amount(id value) { return is_pair(type_of(value)) ? parts(value).low : value; }

pair rewriter::add(pair a, pair b) {
  const id low = u32(spv::OpIAdd, {a.low, b.low});
  const id carry = choose(test(spv::OpULessThan, {low, a.low}), constant(1), constant(0));
  const id high = u32(spv::OpIAdd, {a.high, b.high});
  return {low, u32(spv::OpIAdd, {high, carry})};
}

pair rewriter::subtract(pair a, pair b) {
  const id low = u32(spv::OpISub, {a.low, b.low});
  const id borrow = choose(test(spv::OpULessThan, {a.low, b.low}), constant(1), constant(0));
  const id high = u32(spv::OpISub, {a.high, b.high});
  return {low, u32(spv::OpISub, {high, borrow})};
}

pair rewriter::multiply(pair a, pair b) {
  const id both = global(spv::OpTypeStruct, 0, {m_u32, m_u32});
  const id product = emit(spv::OpUMulExtended, both, {a.low, b.low});
  const id low = u32(spv::OpCompositeExtract, {product, 0});
  id high = u32(spv::OpCompositeExtract, {product, 1});
  const auto add_product = [&](id first, id second) {
    if (known(first) == 0u || known(second) == 0u) return;
    high = u32(spv::OpIAdd, {high, u32(spv::OpIMul, {first, second})});
  };
  add_product(a.low, b.high);
  add_product(a.high, b.low);
  return {low, high};
}

pair rewriter::shift_by(spv::Op code, pair value, unsigned amount) {
  if (amount == 0) return value;
  const bool left = code == spv::OpShiftLeftLogical;
  const id fill = code == spv::OpShiftRightArithmetic && amount >= 32 ? u32(code, {value.high, constant(31)})
                                                                      : constant(0);
  const id from = left ? value.low : value.high; // the word that remains when 32 bits or more leave
  if (amount >= 32) {
    const id moved = amount == 32 ? from : u32(code, {from, constant(amount - 32)});
    return left ? pair{fill, moved} : pair{moved, fill};
  }
  const spv::Op back = left ? spv::OpShiftRightLogical : spv::OpShiftLeftLogical;
  const id to = left ? value.high : value.low;
  const id crossing = u32(back, {from, constant(32 - amount)});
  const id moved = u32(left ? code : spv::OpShiftRightLogical, {to, constant(amount)});
  const id combined = u32(spv::OpBitwiseOr, {moved, crossing}), rest = u32(code, {from, constant(amount)});
  return left ? pair{rest, combined} : pair{combined, rest};
}

pair rewriter::shift(spv::Op code, pair value, id amount) {
  if (const auto number = known(amount)) return shift_by(code, value, static_cast<unsigned>(*number & 63));
  const bool left = code == spv::OpShiftLeftLogical;
  const id within = u32(spv::OpBitwiseAnd, {amount, constant(31)});
  const id is_large = test(spv::OpINotEqual, {u32(spv::OpBitwiseAnd, {amount, constant(32)}), constant(0)});
  const id fill = code == spv::OpShiftRightArithmetic ? u32(code, {value.high, constant(31)}) : constant(0);
  const id from = left ? value.low : value.high, to = left ? value.high : value.low;
  // In two steps, because an amount of 32 is undefined: by 1, then by 31 - amount.
  const spv::Op back = left ? spv::OpShiftRightLogical : spv::OpShiftLeftLogical;
  const id rest = u32(spv::OpBitwiseXor, {within, constant(31)});
  const id crossing = u32(back, {u32(back, {from, constant(1)}), rest});
  const id moved = u32(left ? code : spv::OpShiftRightLogical, {to, within});
  const id combined = u32(spv::OpBitwiseOr, {moved, crossing}), alone = u32(code, {from, within});
  const id near = choose(is_large, alone, combined), far = choose(is_large, fill, alone);
  return left ? pair{far, near} : pair{near, far};
}

pair rewriter::with_sign(pair value, id sign) {
  const pair flipped{u32(spv::OpBitwiseXor, {value.low, sign}), u32(spv::OpBitwiseXor, {value.high, sign})};
  return subtract(flipped, {sign, sign});
}

id rewriter::less(bool is_signed, pair a, pair b) {
  const id higher = test(is_signed ? spv::OpSLessThan : spv::OpULessThan, {a.high, b.high});
  const id same = test(spv::OpIEqual, {a.high, b.high}), lower = test(spv::OpULessThan, {a.low, b.low});
  return test(spv::OpLogicalOr, {higher, test(spv::OpLogicalAnd, {same, lower})});
}

bool rewriter::pair_arithmetic(const instruction& i) {
  const auto& o = i.operands;
  const id result = o[1];
  switch (i.code) {
    case spv::OpIAdd: define(result, add(parts(o[2]), parts(o[3]))); return true;
    case spv::OpISub: define(result, subtract(parts(o[2]), parts(o[3]))); return true;
    case spv::OpIMul: define(result, multiply(parts(o[2]), parts(o[3]))); return true;
    case spv::OpSNegate: define(result, with_sign(parts(o[2]), constant(~0u))); return true;
    case spv::OpUDiv:
    case spv::OpSDiv:
    case spv::OpUMod:
    case spv::OpSRem: divide(i); return true;
    case spv::OpShiftLeftLogical:
    case spv::OpShiftRightLogical:
    case spv::OpShiftRightArithmetic:
      define(result, shift(i.code, parts(o[2]), shift_amount(o[3])));
      return true;
    case spv::OpBitwiseAnd:
    case spv::OpBitwiseOr:
    case spv::OpBitwiseXor: {
      const pair a = parts(o[2]), b = parts(o[3]);
      define(result, {u32(i.code, {a.low, b.low}), u32(i.code, {a.high, b.high})});
      return true;
    }
    case spv::OpNot: {
      const pair a = parts(o[2]);
      define(result, {u32(i.code, {a.low}), u32(i.code, {a.high})});
      return true;
    }
    default: return false;
  }
}

void rewriter::pair_comparison(const instruction& i) {
  const auto& o = i.operands;
  const id result = o[1];
  const pair a = parts(o[2]), b = parts(o[3]);
  const auto negated = [&](id value) { emit_as(result, spv::OpLogicalNot, m_bool, {value}); };
  const auto as_is = [&](id value) { emit_as(result, spv::OpCopyObject, m_bool, {value}); };
  switch (i.code) {
    case spv::OpIEqual:
    case spv::OpINotEqual: {
      const bool equal = i.code == spv::OpIEqual;
      const id low = test(i.code, {a.low, b.low}), high = test(i.code, {a.high, b.high});
      return emit_as(result, equal ? spv::OpLogicalAnd : spv::OpLogicalOr, m_bool, {low, high});
    }
    case spv::OpULessThan: return as_is(less(false, a, b));
    case spv::OpSLessThan: return as_is(less(true, a, b));
    case spv::OpUGreaterThan: return as_is(less(false, b, a));
    case spv::OpSGreaterThan: return as_is(less(true, b, a));
    case spv::OpULessThanEqual: return negated(less(false, b, a));
    case spv::OpSLessThanEqual: return negated(less(true, b, a));
    case spv::OpUGreaterThanEqual: return negated(less(false, a, b));
    default: return negated(less(true, a, b)); // OpSGreaterThanEqual
  }
}

} // namespace prism::devices::vulkan::lower
