#include "compiler/device_ir/index_form.hpp"

#include "llvm/IR/PatternMatch.h"

#include "compiler/device_ir/captured.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace prism::compiler {
using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned deepest = 24; // depth of the expressions that are read
constexpr std::size_t most_products = 24;
constexpr std::size_t most_alternatives = 16;

using maybe_form = std::optional<index_form>;

void add(index_form& to, const std::vector<index_atom>& product, std::uint64_t factor) {
  const std::uint64_t sum = to[product] += factor;
  if (sum == 0) to.erase(product);
}

maybe_form sum(const maybe_form& a, const maybe_form& b, std::uint64_t sign) {
  if (!a || !b) return std::nullopt;
  index_form out = *a;
  for (const auto& [product, factor] : *b) add(out, product, factor * sign);
  return out.size() <= most_products ? maybe_form(out) : std::nullopt;
}

maybe_form product(const maybe_form& a, const maybe_form& b) {
  if (!a || !b || a->size() * b->size() > most_products) return std::nullopt;
  index_form out;
  for (const auto& [first, one] : *a)
    for (const auto& [second, other] : *b) {
      std::vector<index_atom> merged = first;
      merged.insert(merged.end(), second.begin(), second.end());
      std::sort(merged.begin(), merged.end());
      add(out, merged, one * other);
    }
  return out;
}

index_form constant(std::uint64_t value) {
  index_form out;
  add(out, {}, value);
  return out;
}

bool is_choice(const index_atom& atom) { return atom.kind == atom_kind::choice; }

bool has_choice(const index_form& form) {
  return any_of(form, [](const auto& each) { return any_of(each.first, is_choice); });
}

/// The value of a form without ids and words.
std::optional<std::int64_t> constant_of(const maybe_form& form) {
  if (!form || form->size() > 1 || (form->size() == 1 && !form->begin()->first.empty())) return std::nullopt;
  return form->empty() ? 0 : static_cast<std::int64_t>(form->begin()->second);
}

/// `product` without one factor `atom`; empty if it does not have it.
std::optional<std::vector<index_atom>> without(std::vector<index_atom> product, const index_atom& atom) {
  const auto found = std::find(product.begin(), product.end(), atom);
  if (found == product.end()) return std::nullopt;
  product.erase(found);
  return product;
}

std::vector<index_atom> with(std::vector<index_atom> product, const index_atom& atom) {
  product.push_back(atom);
  std::sort(product.begin(), product.end());
  return product;
}

/// Replaces both atoms by `made` in all products. A product that also has a `rest` counts only if its
/// counterpart exists.
void join(index_form& form, const index_atom& one, const index_atom& other, const index_atom* rest,
          const index_atom& made) {
  const index_form before = form;
  for (const auto& [product, factor] : before) {
    const auto left = without(product, one);
    const auto bare = left ? without(*left, other) : std::nullopt;
    if (!bare) continue;
    if (rest) {
      const auto partner = form.find(with(*bare, *rest));
      if (partner == form.end() || partner->second != factor) continue;
      form.erase(partner);
    }
    form.erase(product);
    add(form, with(*bare, made), factor);
  }
}

} // namespace

index_form fold_ids(index_form form) {
  for (std::uint32_t d = 0; d < 3; ++d) {
    const index_atom size{atom_kind::local_size, d}, local{atom_kind::local_id, d};
    join(form, {atom_kind::group_count, d}, size, nullptr, {atom_kind::extent, d});
    join(form, {atom_kind::group_id, d}, size, &local, {atom_kind::global_id, d});
  }
  return form;
}

bool index_forms::check(const index_form& form, image::index_bound bound) {
  if (has_choice(form)) return false;
  if (const auto number = constant_of(form);
      bound == image::index_bound::not_negative && number && *number >= 0)
    return true;
  m_checks.push_back({bound, fold_ids(form)});
  return true;
}

maybe_form index_forms::choice(index_choice::kind what, const maybe_form& first, const maybe_form& second) {
  if (!first || !second) return std::nullopt;
  index_form out;
  add(out, std::vector{index_atom{atom_kind::choice, static_cast<std::uint32_t>(m_choices.size())}}, 1);
  m_choices.push_back({what, *first, *second});
  return out;
}

/// Minimum and maximum of 64-bit values. Forms are signed, so unsigned values must be below 2^63.
maybe_form index_forms::called(const CallInst& call, unsigned depth) {
  auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic || !call.getType()->isIntegerTy(64) || call.arg_size() != 2) return std::nullopt;
  const Intrinsic::ID id = intrinsic->getIntrinsicID();
  const bool is_signed = id == Intrinsic::smax || id == Intrinsic::smin;
  if (!is_signed && id != Intrinsic::umax && id != Intrinsic::umin && id != Intrinsic::usub_sat)
    return std::nullopt;
  const maybe_form a = of(call.getArgOperand(0), depth + 1), b = of(call.getArgOperand(1), depth + 1);
  if (!a || !b) return std::nullopt;
  if (!is_signed &&
      !(check(*a, image::index_bound::not_negative) && check(*b, image::index_bound::not_negative)))
    return std::nullopt;
  if (id == Intrinsic::usub_sat) return sum(choice(index_choice::kind::maximum, a, b), b, std::uint64_t(-1));
  const bool is_maximum = id == Intrinsic::smax || id == Intrinsic::umax;
  return choice(is_maximum ? index_choice::kind::maximum : index_choice::kind::minimum, a, b);
}

/// `a < b ? x : y` of 64-bit values, or of 32-bit ones that are widened. It is a minimum or maximum also
/// where x and y are not a and b but differ from them by constants: `i + 1 < n ? i + 1 : n - 1`.
maybe_form index_forms::selected(const SelectInst& select, std::optional<bool> widened_as, unsigned depth) {
  const unsigned bits = widened_as ? 32 : 64;
  if (!select.getType()->isIntegerTy(bits)) return std::nullopt;
  const auto form = [&](const Value* v) {
    return widened_as ? widened(v, *widened_as, depth + 1) : of(v, depth + 1);
  };
  const maybe_form x = form(select.getTrueValue()), y = form(select.getFalseValue());
  const maybe_form any = choice(index_choice::kind::either, x, y);
  auto* compare = dyn_cast<ICmpInst>(select.getCondition());
  if (!any || !compare || compare->isEquality() || !compare->getOperand(0)->getType()->isIntegerTy(bits))
    return any;
  maybe_form a = form(compare->getOperand(0)), b = form(compare->getOperand(1));
  if (!a || !b || (widened_as && *widened_as == compare->isUnsigned())) return any;
  if (compare->isGT(compare->getPredicate()) || compare->isGE(compare->getPredicate())) std::swap(a, b);
  const bool is_strict = ICmpInst::isLT(compare->getPredicate()) || ICmpInst::isGT(compare->getPredicate());
  const auto is_at_least = [](const maybe_form& large, const maybe_form& small, std::int64_t by) {
    const auto difference = constant_of(sum(large, small, std::uint64_t(-1)));
    return difference && *difference >= by;
  };
  // Where a < b, b - 1 is at least a; where it is not, a is at least b.
  const std::int64_t where_less = is_strict ? -1 : 0, elsewhere = is_strict ? 0 : -1;
  const bool is_minimum =
      (*x == *a && is_at_least(b, y, elsewhere)) || (*y == *b && is_at_least(a, x, where_less));
  const bool is_maximum =
      (*x == *b && is_at_least(y, a, elsewhere)) || (*y == *a && is_at_least(x, b, where_less));
  if (!is_minimum && !is_maximum) return any;
  if (!widened_as && compare->isUnsigned() &&
      !(check(*a, image::index_bound::not_negative) && check(*b, image::index_bound::not_negative)))
    return any;
  return choice(is_minimum ? index_choice::kind::minimum : index_choice::kind::maximum, x, y);
}

bool index_forms::has_id(const index_form& form) const {
  return any_of(form, [&](const auto& each) {
    return any_of(each.first, [&](const index_atom& a) {
      if (is_choice(a)) return has_id(m_choices[a.number].first) || has_id(m_choices[a.number].second);
      return a.kind == atom_kind::group_id || a.kind == atom_kind::local_id || a.kind == atom_kind::global_id;
    });
  });
}

std::optional<std::vector<index_alternative>> index_forms::alternatives_of(const index_form& form) {
  constexpr std::uint32_t both = image::bounds_begin | image::bounds_end;
  std::vector<index_alternative> out{{form, both}};
  for (std::size_t at = 0; at < out.size();) {
    const index_alternative here = out[at];
    const auto with_choice =
        find_if(here.form, [](const auto& each) { return any_of(each.first, is_choice); });
    if (with_choice == here.form.end()) {
      out[at++].form = fold_ids(here.form);
      continue;
    }
    const index_atom atom = *find_if(with_choice->first, is_choice);
    const index_choice& chosen = m_choices[atom.number];
    maybe_form first = index_form(), second = index_form();
    unsigned signs = 0; // of the factors: 1 positive, 2 negative
    for (const auto& [product_with, factor] : here.form) {
      const auto rest = without(product_with, atom);
      index_form other;
      add(other, rest ? *rest : product_with, factor);
      first = sum(first, rest ? product(other, chosen.first) : other, 1);
      second = sum(second, rest ? product(other, chosen.second) : other, 1);
      if (!rest) continue;
      if (any_of(*rest, is_choice)) return std::nullopt;
      signs |= static_cast<std::int64_t>(factor) > 0 ? 1 : 2;
      index_form words;
      add(words, *rest, 1);
      if (!check(words, image::index_bound::not_negative)) return std::nullopt;
    }
    if (!first || !second || out.size() == most_alternatives) return std::nullopt;
    std::uint32_t of_fixed = both; // what the alternative without ids bounds
    const bool first_varies = has_id(chosen.first);
    if (chosen.what != index_choice::kind::either && signs != 3 && first_varies != has_id(chosen.second))
      of_fixed = (chosen.what == index_choice::kind::maximum) == (signs == 1) ? image::bounds_end
                                                                              : image::bounds_begin;
    out[at] = {*(first_varies ? first : second), here.bounds};
    if ((here.bounds & of_fixed) != 0)
      out.push_back({*(first_varies ? second : first), here.bounds & of_fixed});
  }
  return out;
}

maybe_form index_forms::query(const CallInst& call) const {
  const Function* callee = call.getCalledFunction();
  auto* dimension = callee && call.arg_size() == 1 ? dyn_cast<ConstantInt>(call.getArgOperand(0)) : nullptr;
  if (!dimension) return std::nullopt;
  const StringRef name = callee->getName();
  const auto d = static_cast<std::uint32_t>(dimension->getZExtValue());
  for (const auto& [known, kind] :
       {std::pair<const char*, atom_kind>{"__prism_group_id", atom_kind::group_id},
        {"__prism_local_size", atom_kind::local_size},
        {"__prism_local_id", atom_kind::local_id},
        {"__prism_group_count", atom_kind::group_count}})
    if (name == known) {
      index_form out;
      add(out, std::vector{index_atom{kind, d}}, 1);
      return out;
    }
  return std::nullopt;
}

/// Whether 32 bits hold the value in every launch of fewer than 2^31 work-items. That is so for ids, and for
/// linear ids if their steps are the launch's.
bool index_forms::fits_narrow(const index_form& form) {
  bool has_id = false;
  std::vector<step> steps;
  for (const auto& [product, factor] : fold_ids(form)) {
    const auto id = std::find_if(product.begin(), product.end(),
                                 [](const index_atom& a) { return a.kind == atom_kind::global_id; });
    if (id == product.end() || factor != 1) return false;
    const std::vector<index_atom> rest = *without(product, *id);
    has_id = has_id || rest.empty();
    if (!rest.empty()) steps.push_back({id->number, rest});
  }
  if (!has_id) return false;
  m_narrow = true;
  m_narrow_steps.insert(m_narrow_steps.end(), steps.begin(), steps.end());
  return true;
}

/// A 64-bit value shifted down by `by` bits, at most 32, after its low half was put into the high one: how
/// LLVM writes the sign extension of 32 bits.
maybe_form index_forms::shifted_down(const Value* value, std::uint64_t by, unsigned depth) {
  const maybe_form high = of(value, depth + 1);
  if (!high) return std::nullopt;
  index_form low;
  for (const auto& [product, factor] : *high) {
    if ((factor & 0xffffffffu) != 0) return std::nullopt;
    add(low, product, static_cast<std::uint64_t>(static_cast<std::int64_t>(factor) >> 32));
  }
  if (!fits_narrow(low) && !check(low, image::index_bound::signed_32_bits)) return std::nullopt;
  return product(low, constant(std::uint64_t{1} << (32 - by)));
}

maybe_form index_forms::widened(const Value* value, bool is_signed, unsigned depth) {
  if (auto* number = dyn_cast<ConstantInt>(value))
    return constant(is_signed ? std::uint64_t(number->getSExtValue()) : number->getZExtValue());
  if (auto* load = dyn_cast<LoadInst>(value)) {
    m_narrow = m_narrow || is_signed; // the condition that is checked at launch reads words as unsigned
    return of(load, depth + 1);
  }
  if (auto* operation = dyn_cast<OverflowingBinaryOperator>(value);
      operation && depth < deepest &&
      (is_signed ? operation->hasNoSignedWrap() : operation->hasNoUnsignedWrap())) {
    const auto a = widened(operation->getOperand(0), is_signed, depth + 1),
               b = widened(operation->getOperand(1), is_signed, depth + 1);
    maybe_form exact;
    if (operation->getOpcode() == Instruction::Add) exact = sum(a, b, 1);
    if (operation->getOpcode() == Instruction::Sub && is_signed) exact = sum(a, b, std::uint64_t(-1));
    if (operation->getOpcode() == Instruction::Mul) exact = product(a, b);
    if (exact) return exact;
  }
  if (const Value* inverted = nullptr; is_signed && match(value, m_Not(m_Value(inverted))) && depth < deepest)
    if (const auto exact =
            sum(constant(std::uint64_t(-1)), widened(inverted, true, depth + 1), std::uint64_t(-1)))
      return exact;
  if (auto* call = dyn_cast<IntrinsicInst>(value); call && depth < deepest) {
    const Intrinsic::ID id = call->getIntrinsicID();
    const bool is_maximum = id == (is_signed ? Intrinsic::smax : Intrinsic::umax);
    if (is_maximum || id == (is_signed ? Intrinsic::smin : Intrinsic::umin))
      return choice(is_maximum ? index_choice::kind::maximum : index_choice::kind::minimum,
                    widened(call->getArgOperand(0), is_signed, depth + 1),
                    widened(call->getArgOperand(1), is_signed, depth + 1));
  }
  if (auto* select = dyn_cast<SelectInst>(value); select && depth < deepest)
    return selected(*select, is_signed, depth);
  if (isa<ZExtInst>(value) && cast<ZExtInst>(value)->getSrcTy()->isIntegerTy(1)) return of(value, depth + 1);
  const maybe_form plain = of(value, depth + 1);
  if (plain && fits_narrow(*plain)) return plain;
  return plain && is_signed && check(*plain, image::index_bound::signed_32_bits) ? plain : std::nullopt;
}

/// Integers narrower than 64 bits are taken modulo their width.
maybe_form index_forms::of(const Value* value, unsigned depth) {
  if (depth > deepest) return std::nullopt;
  if (auto* number = dyn_cast<ConstantInt>(value)) {
    if (number->getBitWidth() > 64) return std::nullopt;
    return constant(std::uint64_t(number->getSExtValue()));
  }
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || !value->getType()->isIntegerTy()) return std::nullopt;
  const auto operand = [&](unsigned i) { return of(instruction->getOperand(i), depth + 1); };
  switch (instruction->getOpcode()) {
    case Instruction::Call: {
      auto* call = cast<CallInst>(instruction);
      const maybe_form known = query(*call);
      return known ? known : called(*call, depth);
    }
    case Instruction::Select: return selected(*cast<SelectInst>(instruction), std::nullopt, depth);
    case Instruction::Xor: {
      const Value* inverted = nullptr;
      if (!match(value, m_Not(m_Value(inverted)))) return std::nullopt;
      return sum(constant(std::uint64_t(-1)), of(inverted, depth + 1), std::uint64_t(-1));
    }
    case Instruction::Freeze: return operand(0);
    case Instruction::Add: return sum(operand(0), operand(1), 1);
    case Instruction::Sub: return sum(operand(0), operand(1), std::uint64_t(-1));
    case Instruction::Mul: return product(operand(0), operand(1));
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(instruction)->isDisjoint() ? sum(operand(0), operand(1), 1)
                                                                   : std::nullopt;
    case Instruction::Shl: {
      auto* by = dyn_cast<ConstantInt>(instruction->getOperand(1));
      if (!by || by->getZExtValue() > 62) return std::nullopt;
      return product(operand(0), constant(std::uint64_t{1} << by->getZExtValue()));
    }
    case Instruction::Trunc: return operand(0);
    case Instruction::AShr: {
      auto* by = dyn_cast<ConstantInt>(instruction->getOperand(1));
      if (!by || by->getZExtValue() > 32 || !value->getType()->isIntegerTy(64)) return std::nullopt;
      return shifted_down(instruction->getOperand(0), by->getZExtValue(), depth);
    }
    case Instruction::And: { // zext of a trunc to 32 bits, as LLVM writes it within 64
      const Value* of_32 = nullptr;
      if (!match(value, m_And(m_Value(of_32), m_SpecificInt(0xffffffffu))) ||
          !value->getType()->isIntegerTy(64))
        return std::nullopt;
      const maybe_form plain = of(of_32, depth + 1);
      return plain && fits_narrow(*plain) ? plain : std::nullopt;
    }
    case Instruction::ZExt:
    case Instruction::SExt: {
      const Value* from = instruction->getOperand(0);
      const bool is_signed = isa<SExtInst>(instruction);
      if (from->getType()->isIntegerTy(1))
        return choice(index_choice::kind::either, constant(0), constant(std::uint64_t(is_signed ? -1 : 1)));
      if (!from->getType()->isIntegerTy(32)) return std::nullopt;
      const maybe_form form = widened(from, is_signed, depth + 1);
      return form || is_signed || !instruction->hasNonNeg() ? form : widened(from, true, depth + 1);
    }
    case Instruction::Load: {
      auto* load = cast<LoadInst>(instruction);
      const auto offset = captured_offset(load->getPointerOperand(), m_kernel);
      const unsigned bits = load->getType()->getIntegerBitWidth();
      if (!offset || (bits != 32 && bits != 64) || *offset > 0xffff'0000u) return std::nullopt;
      index_form out;
      add(out, std::vector{index_atom{atom_kind::word, static_cast<std::uint32_t>(*offset), bits / 8}}, 1);
      return out;
    }
    default: return std::nullopt;
  }
}

} // namespace prism::compiler
