#include "devices/vulkan/lower/sub_group_steps.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

namespace prism::devices::vulkan::lower {

namespace {

struct number_type {
  unsigned bits = 0;
  bool is_float = false;
};

class step_writer {
public:
  step_writer(std::span<const word> module, const lacks& what)
      : m_in(module), m_lacks(what), m_bound(module[3]) {}
  words run();

private:
  void scan(const instruction& i);
  bool is_replaced(const instruction& i) const;
  void declare();
  void write(const instruction& i);
  void write_capabilities();
  void write_entry_point(const instruction& i);
  void write_steps(const instruction& i);
  id reduce(const instruction& i, id lane);
  id scan_up(const instruction& i, id lane);
  id combine(const instruction& i, id a, id b);
  id shuffle(id type, id value, id lane);
  id count_items();
  id emit(spv::Op code, id type, std::initializer_list<word> operands);
  id constant(word value);

  const std::span<const word> m_in;
  const lacks m_lacks;
  id m_bound, m_u32 = 0, m_bool = 0, m_votes = 0, m_input = 0, m_lane = 0, m_size = 0, m_true = 0, m_last = 0;
  bool m_replaces_any = false, m_has_others = false, m_writes_capabilities = true;
  words m_head, m_annotations, m_globals, m_declared, m_functions; // in this order
  words* m_out = &m_head;
  std::vector<word> m_capabilities;
  std::unordered_map<id, number_type> m_types;
  std::unordered_map<id, word> m_built_ins; // by the variable
  std::unordered_map<word, id> m_constants;
  std::vector<id> m_inputs; // further ones of the entry point
};

void step_writer::scan(const instruction& i) {
  const auto& o = i.operands;
  switch (i.code) {
    case spv::OpCapability: m_capabilities.push_back(o[0]); break;
    case spv::OpTypeInt:
      m_types[o[0]] = {o[1], false};
      if (o[1] == 32) m_u32 = o[0];
      break;
    case spv::OpTypeFloat: m_types[o[0]] = {o[1], true}; break;
    case spv::OpTypeBool: m_bool = o[0]; break;
    case spv::OpTypeVector:
      if (o[1] == m_u32 && o[2] == 4) m_votes = o[0];
      break;
    case spv::OpTypePointer:
      if (o[1] == spv::StorageClassInput && o[2] == m_u32) m_input = o[0];
      break;
    case spv::OpConstant:
      if (o[0] == m_u32) m_constants[o[2]] = o[1];
      break;
    case spv::OpDecorate:
      if (o[1] == spv::DecorationBuiltIn) m_built_ins[o[0]] = o[2];
      break;
    default:
      if (!is_sub_group_arithmetic(i.code)) break;
      if (o[3] > spv::GroupOperationExclusiveScan) throw refused{"clusters of sub-groups in SPIR-V"};
      (is_replaced(i) ? m_replaces_any : m_has_others) = true;
  }
}

bool step_writer::is_replaced(const instruction& i) const {
  const auto type = m_types.find(i.operands[0]);
  if (type == m_types.end()) throw refused{"sub-group operations on vectors in SPIR-V"};
  const bool is_wide = type->second.bits == 64 && !type->second.is_float;
  return m_lacks.sub_group_arithmetic || (is_wide && (m_lacks.wide_sub_groups || m_lacks.int64)) ||
         (m_lacks.sub_group_scans && i.operands[3] != spv::GroupOperationReduce);
}

words step_writer::run() {
  for_each(m_in, [&](const instruction& i) { scan(i); });
  if (!m_replaces_any) return {m_in.begin(), m_in.end()};
  declare();
  for_each(m_in, [&](const instruction& i) { write(i); });
  words out{m_in[0], m_in[1], m_in[2], m_bound, m_in[4]};
  for (const words* section : {&m_head, &m_annotations, &m_globals, &m_declared, &m_functions})
    out.insert(out.end(), section->begin(), section->end());
  return out;
}

/// Declares what the steps need and the module lacks.
void step_writer::declare() {
  const auto make = [&](id& type, spv::Op code, std::initializer_list<word> operands) {
    if (type != 0) return;
    type = m_bound++;
    words all{type};
    all.insert(all.end(), operands);
    append(m_declared, code, all);
  };
  make(m_u32, spv::OpTypeInt, {32, 0});
  make(m_bool, spv::OpTypeBool, {});
  make(m_votes, spv::OpTypeVector, {m_u32, 4});
  make(m_input, spv::OpTypePointer, {spv::StorageClassInput, m_u32});
  m_true = m_bound++;
  append(m_declared, spv::OpConstantTrue, words{m_bool, m_true});
  const auto input = [&](id& variable, word which) {
    for (const auto& [name, built_in] : m_built_ins)
      if (built_in == which) variable = name;
    if (variable != 0) return;
    variable = m_bound++;
    append(m_declared, spv::OpVariable, words{m_input, variable, spv::StorageClassInput});
    append(m_annotations, spv::OpDecorate, words{variable, spv::DecorationBuiltIn, which});
    m_inputs.push_back(variable);
  };
  input(m_lane, spv::BuiltInSubgroupLocalInvocationId);
  input(m_size, spv::BuiltInSubgroupSize);
}

void step_writer::write(const instruction& i) {
  if (i.code == spv::OpCapability) {
    if (std::exchange(m_writes_capabilities, false)) write_capabilities();
    return;
  }
  if (i.code == spv::OpEntryPoint) return write_entry_point(i);
  const bool is_type = i.code >= spv::OpTypeVoid && i.code <= spv::OpTypeForwardPointer;
  if (m_out == &m_head && is_type) m_out = &m_globals;
  if (m_out == &m_globals && i.code == spv::OpFunction) m_out = &m_functions;
  if (is_sub_group_arithmetic(i.code) && is_replaced(i)) return write_steps(i);
  append(*m_out, i.code, i.operands);
}

void step_writer::write_capabilities() {
  for (const word needed : {spv::CapabilityGroupNonUniformBallot, spv::CapabilityGroupNonUniformShuffle})
    if (std::find(m_capabilities.begin(), m_capabilities.end(), needed) == m_capabilities.end())
      m_capabilities.push_back(needed);
  for (const word each : m_capabilities)
    if (m_has_others || each != spv::CapabilityGroupNonUniformArithmetic)
      append(m_head, spv::OpCapability, words{each});
}

void step_writer::write_entry_point(const instruction& i) {
  words operands(i.operands.begin(), i.operands.end());
  operands.insert(operands.end(), m_inputs.begin(), m_inputs.end());
  append(m_head, i.code, operands);
}

id step_writer::emit(spv::Op code, id type, std::initializer_list<word> operands) {
  const id result = m_bound++;
  words all{type, result};
  all.insert(all.end(), operands);
  append(m_functions, code, all);
  return result;
}

/// A constant of 32 bits.
id step_writer::constant(word value) {
  id& made = m_constants[value];
  if (made == 0) {
    made = m_bound++;
    append(m_declared, spv::OpConstant, words{m_u32, made, value});
  }
  return made;
}

id step_writer::shuffle(id type, id value, id lane) {
  const id scope = constant(spv::ScopeSubgroup);
  const number_type what = m_types.at(type);
  if (what.bits != 64 || what.is_float)
    return emit(spv::OpGroupNonUniformShuffle, type, {scope, value, lane});
  const id half = constant(32);
  const id low = emit(spv::OpUConvert, m_u32, {value});
  const id high = emit(spv::OpUConvert, m_u32, {emit(spv::OpShiftRightLogical, type, {value, half})});
  const id low_of = emit(spv::OpGroupNonUniformShuffle, m_u32, {scope, low, lane});
  const id high_of = emit(spv::OpGroupNonUniformShuffle, m_u32, {scope, high, lane});
  const id upper = emit(spv::OpShiftLeftLogical, type, {emit(spv::OpUConvert, type, {high_of}), half});
  return emit(spv::OpBitwiseOr, type, {emit(spv::OpUConvert, type, {low_of}), upper});
}

id step_writer::count_items() {
  const id votes = emit(spv::OpGroupNonUniformBallot, m_votes, {constant(spv::ScopeSubgroup), m_true});
  id count = 0;
  for (word part = 0; part < 2; ++part) {
    const id ones = emit(spv::OpBitCount, m_u32, {emit(spv::OpCompositeExtract, m_u32, {votes, part})});
    count = part == 0 ? ones : emit(spv::OpIAdd, m_u32, {count, ones});
  }
  return count;
}

id step_writer::combine(const instruction& i, id a, id b) {
  const id type = i.operands[0];
  const auto choose = [&](spv::Op second_is_better) {
    return emit(spv::OpSelect, type, {emit(second_is_better, m_bool, {b, a}), b, a});
  };
  const auto exact = [&](spv::Op code) {
    const id result = emit(code, type, {a, b});
    append(m_annotations, spv::OpDecorate, words{result, spv::DecorationNoContraction});
    return result;
  };
  switch (i.code) {
    case spv::OpGroupNonUniformIAdd: return emit(spv::OpIAdd, type, {a, b});
    case spv::OpGroupNonUniformFAdd: return exact(spv::OpFAdd);
    case spv::OpGroupNonUniformIMul: return emit(spv::OpIMul, type, {a, b});
    case spv::OpGroupNonUniformFMul: return exact(spv::OpFMul);
    case spv::OpGroupNonUniformSMin: return choose(spv::OpSLessThan);
    case spv::OpGroupNonUniformUMin: return choose(spv::OpULessThan);
    case spv::OpGroupNonUniformFMin: return choose(spv::OpFOrdLessThan);
    case spv::OpGroupNonUniformSMax: return choose(spv::OpSGreaterThan);
    case spv::OpGroupNonUniformUMax: return choose(spv::OpUGreaterThan);
    case spv::OpGroupNonUniformFMax: return choose(spv::OpFOrdGreaterThan);
    case spv::OpGroupNonUniformBitwiseAnd: return emit(spv::OpBitwiseAnd, type, {a, b});
    case spv::OpGroupNonUniformBitwiseOr: return emit(spv::OpBitwiseOr, type, {a, b});
    default: return emit(spv::OpBitwiseXor, type, {a, b});
  }
}

/// The combination of all values, in each work-item.
id step_writer::reduce(const instruction& i, id lane) {
  const id type = i.operands[0], count = count_items();
  id value = i.operands[4];
  for (word step = 1; step < m_lacks.largest_sub_group; step *= 2) {
    const id at = emit(spv::OpIAdd, m_u32, {lane, constant(step)});
    const id later = shuffle(type, value, emit(spv::OpBitwiseAnd, m_u32, {at, m_last}));
    const id both = combine(i, value, later);
    value = emit(spv::OpSelect, type, {emit(spv::OpULessThan, m_bool, {at, count}), both, value});
  }
  return shuffle(type, value, constant(0));
}

/// The inclusive scan.
id step_writer::scan_up(const instruction& i, id lane) {
  const id type = i.operands[0];
  id value = i.operands[4];
  for (word step = 1; step < m_lacks.largest_sub_group; step *= 2) {
    const id at = emit(spv::OpISub, m_u32, {lane, constant(step)});
    const id earlier = shuffle(type, value, emit(spv::OpBitwiseAnd, m_u32, {at, m_last}));
    const id both = combine(i, earlier, value);
    const id exists = emit(spv::OpUGreaterThanEqual, m_bool, {lane, constant(step)});
    value = emit(spv::OpSelect, type, {exists, both, value});
  }
  return value;
}

void step_writer::write_steps(const instruction& i) {
  const auto& o = i.operands;
  const id lane = emit(spv::OpLoad, m_u32, {m_lane});
  m_last = emit(spv::OpISub, m_u32, {emit(spv::OpLoad, m_u32, {m_size}), constant(1)});
  const id value = o[3] == spv::GroupOperationReduce ? reduce(i, lane) : scan_up(i, lane);
  if (o[3] != spv::GroupOperationExclusiveScan)
    return append(m_functions, spv::OpCopyObject, words{o[0], o[1], value});
  const id identity = m_bound++;
  words literal{o[0], identity};
  for (const word part : identity_of(i.code, m_types.at(o[0]).bits)) literal.push_back(part);
  append(m_declared, spv::OpConstant, literal);
  const id at = emit(spv::OpISub, m_u32, {lane, constant(1)});
  const id before = shuffle(o[0], value, emit(spv::OpBitwiseAnd, m_u32, {at, m_last}));
  const id is_first = emit(spv::OpIEqual, m_bool, {lane, constant(0)});
  append(m_functions, spv::OpSelect, words{o[0], o[1], is_first, identity, before});
}

} // namespace

words identity_of(spv::Op code, unsigned bits) {
  const bool wide = bits == 64;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const std::uint64_t infinity =
      wide ? std::bit_cast<std::uint64_t>(__builtin_inf()) : std::bit_cast<std::uint32_t>(__builtin_inff());
  const std::uint64_t one = wide ? std::bit_cast<std::uint64_t>(1.0) : std::bit_cast<std::uint32_t>(1.0f);
  std::uint64_t pattern = 0;
  switch (code) {
    case spv::OpGroupNonUniformIMul: pattern = 1; break;
    case spv::OpGroupNonUniformFMul: pattern = one; break;
    case spv::OpGroupNonUniformSMin: pattern = top - 1; break;
    case spv::OpGroupNonUniformSMax: pattern = top; break;
    case spv::OpGroupNonUniformFMin: pattern = infinity; break;
    case spv::OpGroupNonUniformFMax: pattern = infinity | top; break;
    case spv::OpGroupNonUniformUMin:
    case spv::OpGroupNonUniformBitwiseAnd: pattern = ~std::uint64_t{0}; break;
    default: break;
  }
  words literal{static_cast<word>(pattern)};
  if (wide) literal.push_back(static_cast<word>(pattern >> 32));
  return literal;
}

words with_sub_group_steps(std::span<const word> module, const lacks& what) {
  return step_writer(module, what).run();
}

} // namespace prism::devices::vulkan::lower
