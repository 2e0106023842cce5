#include "devices/vulkan/lower/small_numbers.hpp"

#include "devices/api/image.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace prism::devices::vulkan::lower {

namespace {

constexpr std::uint64_t largest = UINT32_MAX;
constexpr unsigned deepest = 24;       // nested operations
constexpr unsigned most_terms = 8;     // of a sum
constexpr std::size_t most_limits = 8; // of a module

bool is_division(spv::Op code) {
  return code == spv::OpUDiv || code == spv::OpUMod || code == spv::OpSDiv || code == spv::OpSRem;
}

bool is_right_shift(spv::Op code) {
  return code == spv::OpShiftRightLogical || code == spv::OpShiftRightArithmetic;
}

void append_new(std::vector<number_limit>& to, const std::vector<number_limit>& more) {
  for (const number_limit& each : more)
    if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(each);
}

/// Of all bits up to the highest one of `number`.
std::uint64_t filled(std::uint64_t number) { return std::bit_ceil(number + 1) - 1; }

} // namespace

small_numbers::small_numbers(const std::vector<instruction>& all, module_facts facts)
    : m_facts(std::move(facts)) {
  for (const instruction& each : all) scan(each);
  for (const instruction& each : all) take_limits_of(narrowed_operands(each));
}

void small_numbers::scan(const instruction& i) {
  const auto& o = i.operands;
  if (i.code == spv::OpTypeInt) m_widths[o[0]] = o[1];
  if (i.code != spv::OpDecorate || o.size() < 3) return;
  if (o[1] == spv::DecorationBuiltIn) m_built_ins[o[0]] = o[2];
  if (o[1] == spv::DecorationSpecId) m_spec_ids[o[0]] = o[2];
}

std::optional<std::uint64_t> small_numbers::known(id value) const {
  const instruction* const i = m_facts.defined(value);
  if (i == nullptr || i->code != spv::OpConstant) return std::nullopt;
  const auto& o = i->operands;
  return o[2] | (o.size() > 3 ? std::uint64_t{o[3]} << 32 : 0);
}

unsigned small_numbers::width(id value) const {
  const instruction* const i = m_facts.defined(value);
  const auto found = i == nullptr ? m_widths.end() : m_widths.find(i->operands[0]);
  return found == m_widths.end() ? 0 : found->second;
}

/// The dimension of an element of a built-in vector.
std::optional<std::uint32_t> small_numbers::element_of(id value, word built_in) const {
  const instruction* const load = m_facts.defined(value);
  if (load == nullptr || load->code != spv::OpLoad) return std::nullopt;
  const instruction* const place = m_facts.defined(load->operands[2]);
  if (place == nullptr || place->code != spv::OpAccessChain || place->operands.size() != 4)
    return std::nullopt;
  const auto found = m_built_ins.find(place->operands[2]);
  const auto element = known(place->operands[3]);
  if (found == m_built_ins.end() || found->second != built_in || !element || *element > 2)
    return std::nullopt;
  return static_cast<std::uint32_t>(*element);
}

/// Whether it is below the number of the launch's groups: a group's number in the dispatch plus that of the
/// first group.
bool small_numbers::is_group_number(id value, std::uint32_t dimension) const {
  const instruction* const i = m_facts.defined(value);
  if (i == nullptr || i->code != spv::OpIAdd) return false;
  const auto base = [&](id from) {
    const instruction* const load = m_facts.defined(from);
    return load != nullptr && load->code == spv::OpLoad &&
           m_facts.push_constant(load->operands[2]) ==
               offsetof(image::push_constants, group_base) + 4 * dimension;
  };
  const auto number = [&](id from) { return element_of(from, spv::BuiltInWorkgroupId) == dimension; };
  const auto& o = i->operands;
  return (number(o[2]) && base(o[3])) || (number(o[3]) && base(o[2]));
}

/// The dimension of which the product is the first work-item of a group, or the number of work-items.
std::optional<std::uint32_t> small_numbers::work_items(const instruction& product) const {
  id factors[2];
  for (std::size_t k : {0, 1}) {
    const instruction* const wide = m_facts.defined(product.operands[2 + k]);
    if (wide == nullptr || wide->code != spv::OpUConvert) return std::nullopt;
    factors[k] = wide->operands[2];
  }
  for (std::size_t k : {0, 1}) {
    const auto size = m_spec_ids.find(factors[k]);
    if (size == m_spec_ids.end() || size->second > 2) continue;
    if (is_group_number(factors[1 - k], size->second)) return size->second;
  }
  return std::nullopt;
}

/// A number of the argument block, also one that specialisation may replace by its value.
std::optional<std::uint32_t> small_numbers::argument(id value) const {
  const instruction* i = m_facts.defined(value);
  if (i != nullptr && i->code == spv::OpSelect) {
    const instruction* const chosen = m_facts.defined(i->operands[3]);
    if (m_spec_ids.count(i->operands[2]) == 0 || chosen == nullptr || chosen->code != spv::OpSpecConstant)
      return std::nullopt;
    i = m_facts.defined(i->operands[4]);
  }
  if (i == nullptr || i->code != spv::OpLoad || m_widths.find(i->operands[0]) == m_widths.end() ||
      m_widths.at(i->operands[0]) != 64)
    return std::nullopt;
  return m_facts.word_of_arguments(*i);
}

/// Adds a part of an id. The parts of one dimension are together below the number of its work-items.
bool small_numbers::add_dimension(std::uint32_t dimension, bool& has, sum& to) {
  if (has || (to.limit.dimension != no_dimension && to.limit.dimension != dimension)) return false;
  to.limit.dimension = dimension;
  return has = true;
}

/// False: the sum may have a high word.
bool small_numbers::add_terms(id value, sum& to, unsigned depth) {
  const instruction* const i = m_facts.defined(value);
  if (i == nullptr || depth > deepest || to.limit.plus > largest) return false;
  if (i->code == spv::OpCopyObject) return add_terms(i->operands[2], to, depth + 1);
  if (i->code == spv::OpIAdd)
    return add_terms(i->operands[2], to, depth + 1) && add_terms(i->operands[3], to, depth + 1);
  if (++to.terms > most_terms) return false;
  if (const auto place = argument(value)) {
    to.limit.words.push_back(*place);
    return true;
  }
  if (i->code == spv::OpIMul)
    if (const auto dimension = work_items(*i)) return add_dimension(*dimension, to.has_group, to);
  if (i->code == spv::OpUConvert)
    if (const auto dimension = element_of(i->operands[2], spv::BuiltInLocalInvocationId))
      return add_dimension(*dimension, to.has_local, to);
  const maybe& other = bound_of(value, depth + 1);
  if (!other) return false;
  to.limit.plus += other->most;
  append_new(to.others, other->limits);
  return true;
}

small_numbers::maybe small_numbers::bound_of_sum(id value, unsigned depth) {
  sum all;
  if (!add_terms(value, all, depth) || all.limit.plus > largest) return std::nullopt;
  if (all.limit.dimension == no_dimension && all.limit.words.empty())
    return bound{all.limit.plus, all.others};
  append_new(all.others, {all.limit});
  return bound{largest, all.others};
}

small_numbers::maybe small_numbers::derive(const instruction& i, unsigned depth) {
  const auto& o = i.operands;
  const auto of = [&](std::size_t k) { return bound_of(o[k], depth + 1); };
  const auto both = [&](auto&& most) -> maybe {
    const maybe a = of(2), b = of(3);
    if (!a || !b || most(a->most, b->most) > largest) return std::nullopt;
    bound made{most(a->most, b->most), a->limits};
    append_new(made.limits, b->limits);
    return made;
  };
  switch (i.code) {
    case spv::OpConstant:
      if (const std::uint64_t number = known(o[1]).value_or(0); number <= largest) return bound{number, {}};
      return std::nullopt;
    case spv::OpCopyObject: return of(2);
    case spv::OpUConvert:
      if (const unsigned from = width(o[2]); from != 0 && from <= 32)
        return bound{from == 32 ? largest : (std::uint64_t{1} << from) - 1, {}};
      return std::nullopt;
    case spv::OpIAdd: return bound_of_sum(o[1], depth);
    case spv::OpIMul:
      if (const auto dimension = work_items(i)) return bound{largest, {{*dimension, 0, {}}}};
      return both([](std::uint64_t a, std::uint64_t b) { return a * b; });
    case spv::OpShiftLeftLogical: {
      const maybe a = of(2);
      const auto bits = known(o[3]);
      if (!a || !bits || *bits >= 32 || a->most << *bits > largest) return std::nullopt;
      return bound{a->most << *bits, a->limits};
    }
    case spv::OpShiftRightLogical:
    case spv::OpShiftRightArithmetic: {
      const maybe a = of(2);
      const auto bits = known(o[3]);
      if (!a || !bits || *bits >= 32) return std::nullopt;
      return bound{a->most >> *bits, a->limits};
    }
    case spv::OpBitwiseAnd: {
      const maybe a = of(2), b = of(3);
      if (!a || !b) return a ? a : b;
      if (a->limits.empty() != b->limits.empty()) return a->limits.empty() ? a : b;
      return a->most < b->most ? a : b;
    }
    case spv::OpBitwiseOr:
    case spv::OpBitwiseXor: return both([](std::uint64_t a, std::uint64_t b) { return filled(a | b); });
    case spv::OpUDiv:
    case spv::OpSDiv: return both([](std::uint64_t a, std::uint64_t) { return a; });
    case spv::OpUMod:
    case spv::OpSRem: return both([](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
    case spv::OpSelect: {
      const maybe a = of(3), b = of(4);
      if (!a || !b) return std::nullopt;
      bound made{std::max(a->most, b->most), a->limits};
      append_new(made.limits, b->limits);
      return made;
    }
    default: return std::nullopt;
  }
}

const small_numbers::maybe& small_numbers::bound_of(id value, unsigned depth) {
  if (const auto found = m_bounds.find(value); found != m_bounds.end()) return found->second;
  const instruction* const i = m_facts.defined(value);
  maybe made = i == nullptr || depth > deepest || width(value) != 64 ? std::nullopt : derive(*i, depth);
  if (made && made->limits.size() > most_limits) made.reset();
  return m_bounds[value] = std::move(made);
}

/// Of an operand of an instruction that gains: there a number of the argument block is worth a limit.
small_numbers::maybe small_numbers::bound_of_operand(id value) {
  if (const auto place = argument(value)) return bound{largest, {{no_dimension, 0, {*place}}}};
  return bound_of(value);
}

/// The operands that must be small for the instruction to compute in 32 bits; none if it gains nothing. An
/// operand that work-items share is worth a limit only if another one is not such.
std::vector<id> small_numbers::narrowed_operands(const instruction& i) const {
  const auto& o = i.operands;
  const bool is_float = i.code == spv::OpConvertUToF || i.code == spv::OpConvertSToF;
  const bool is_shift = is_right_shift(i.code), is_pair = is_comparison(i.code) || is_division(i.code);
  if ((!is_float && !is_shift && !is_pair) || width(o[2]) != 64) return {};
  if (is_shift && known(o[3]).value_or(32) >= 32) return {};
  const auto is_shared = [&](id value) { return known(value) || argument(value); };
  if (is_shared(o[2]) && (!is_pair || is_shared(o[3]))) return {};
  return is_pair ? std::vector<id>{o[2], o[3]} : std::vector<id>{o[2]};
}

void small_numbers::take_limits_of(const std::vector<id>& operands) {
  std::vector<number_limit> all = m_limits;
  for (const id each : operands) {
    const maybe found = bound_of_operand(each);
    if (!found) return;
    append_new(all, found->limits);
  }
  if (all.size() <= most_limits) m_limits = std::move(all);
}

bool small_numbers::is_small(id value) {
  const maybe found = bound_of_operand(value);
  return found && std::all_of(found->limits.begin(), found->limits.end(), [&](const number_limit& each) {
    return std::find(m_limits.begin(), m_limits.end(), each) != m_limits.end();
  });
}

bool small_numbers::has_small_operands(const instruction& i) {
  const auto operands = narrowed_operands(i);
  return !operands.empty() &&
         std::all_of(operands.begin(), operands.end(), [&](id each) { return is_small(each); });
}

} // namespace prism::devices::vulkan::lower
