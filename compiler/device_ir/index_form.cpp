#include "compiler/device_ir/index_form.hpp"

#include "llvm/IR/PatternMatch.h"

#include "compiler/device_ir/captured.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

#include <algorithm>

namespace prism::compiler {
using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned deepest = 24; // depth of the expressions that are read
constexpr std::size_t most_products = 24;

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
      std::vector<index_atom> joined = first;
      joined.insert(joined.end(), second.begin(), second.end());
      std::sort(joined.begin(), joined.end());
      add(out, joined, one * other);
    }
  return out;
}

index_form constant(std::uint64_t value) {
  index_form out;
  add(out, {}, value);
  return out;
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
  const maybe_form plain = of(value, depth + 1);
  return plain && fits_narrow(*plain) ? plain : std::nullopt;
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
    case Instruction::Call: return query(*cast<CallInst>(instruction));
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
    case Instruction::AShr:
    case Instruction::And: { // sext and zext of a trunc to 32 bits, as LLVM writes them within 64
      Value* of_32 = nullptr;
      ConstantInt* by =
          nullptr; // the number of bits; a left shift by it is a multiplication by a power of two
      const bool is_mask = match(value, m_And(m_Value(of_32), m_SpecificInt(0xffffffffu)));
      const bool is_shift =
          !is_mask && match(value, m_AShr(m_Shl(m_Value(of_32), m_SpecificInt(32)), m_ConstantInt(by))) &&
          by->getZExtValue() <= 32;
      if ((!is_mask && !is_shift) || !value->getType()->isIntegerTy(64)) return std::nullopt;
      const maybe_form plain = of(of_32, depth + 1);
      if (!plain || !fits_narrow(*plain)) return std::nullopt;
      return is_mask ? plain : product(plain, constant(std::uint64_t{1} << (32 - by->getZExtValue())));
    }
    case Instruction::ZExt:
    case Instruction::SExt:
      if (!instruction->getOperand(0)->getType()->isIntegerTy(32)) return std::nullopt;
      return widened(instruction->getOperand(0), isa<SExtInst>(instruction), depth + 1);
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
