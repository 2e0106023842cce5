// Sections, types and constants of the module, and which part rewrites an instruction.
#include "devices/vulkan/lower/dot_products.hpp"
#include "devices/vulkan/lower/phis.hpp"
#include "devices/vulkan/lower/rewriter.hpp"
#include "devices/vulkan/lower/scalar_accesses.hpp"
#include "devices/vulkan/lower/single_sub_groups.hpp"
#include "devices/vulkan/lower/sub_group_steps.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

namespace prism::devices::vulkan::lower {

namespace {

constexpr word arena_spec_id = 3; // devices/api/image.hpp

struct result_form {
  bool result = false, type = false;
};

result_form form_of(spv::Op code) {
  result_form form;
  spv::HasResultAndType(code, &form.result, &form.type);
  return form;
}

/// Whether the module uses something that the device lacks.
bool needs_lowering(std::span<const word> module, const lacks& what) {
  bool needs = false;
  for_each(module, [&](const instruction& i) {
    const bool is_root = i.code == spv::OpExtInst && i.operands.size() > 3 && i.operands[3] == GLSLstd450Sqrt;
    needs |= (i.code == spv::OpFDiv || is_root) && what.exact_floats;
    needs |= i.code == spv::OpTypeFloat && what.subnormals != 0;
    if (i.code != spv::OpCapability || i.operands.empty()) return;
    switch (i.operands[0]) {
      case spv::CapabilityInt64: needs |= what.int64; break;
      case spv::CapabilityInt16:
      case spv::CapabilityStorageBuffer16BitAccess: needs |= what.int16; break;
      case spv::CapabilityInt8:
      case spv::CapabilityStorageBuffer8BitAccess: needs |= what.int8; break;
      case spv::CapabilityVulkanMemoryModel: needs |= what.memory_model; break;
      case spv::CapabilityPhysicalStorageBufferAddresses: needs |= what.addresses; break;
      default: break;
    }
  });
  return needs;
}

/// The operands of an instruction with a result that are ids of values.
std::span<const word> value_operands(const instruction& i) {
  if (!form_of(i.code).type) return {};
  switch (i.code) {
    case spv::OpExtInst: return i.operands.subspan(std::min<std::size_t>(4, i.operands.size()));
    case spv::OpCompositeExtract: return i.operands.subspan(2, 1);
    case spv::OpCompositeInsert:
    case spv::OpVectorShuffle: return i.operands.subspan(2, 2);
    default: return i.operands.subspan(2);
  }
}

/// Empty if the device has all operations of sub-groups.
words with_sub_groups_of(std::span<const word> module, const lacks& what) {
  if (what.sub_groups) return with_single_sub_groups(module);
  if (!what.sub_group_arithmetic && !what.sub_group_scans && !what.wide_sub_groups && !what.int64) return {};
  return with_sub_group_steps(module, what);
}

} // namespace

lowered lower_module(std::span<const word> given, const lacks& what) {
  lowered made;
  try {
    if (given.size() < header_words) throw refused{"the module is damaged"};
    const words divided = what.dot_products ? without_dot_products(given) : words();
    const std::span<const word> with_words = divided.empty() ? given : divided;
    const words stepped = with_sub_groups_of(with_words, what);
    const std::span<const word> module = stepped.empty() ? with_words : stepped;
    const bool rewrites_memory = what.int64 || what.int16 || what.int8 || what.memory_model || what.addresses;
    if (what.any() && needs_lowering(module, what))
      made =
          rewrites_memory ? rewriter(with_scalar_accesses(module), what).run() : rewriter(module, what).run();
    else made.words.assign(module.begin(), module.end());
    if (what.phis) made.words = without_phis(made.words);
    return made;
  } catch (const refused& why) {
    made = {};
    made.refusal = why.text;
    return made;
  }
}

rewriter::rewriter(std::span<const word> module, const lacks& what)
    : m_in(module), m_lacks(what), m_bound(module[3]) {}

lowered rewriter::run() {
  scan();
  for_each(m_in, [&](const instruction& i) { take(i); });
  keep_subnormals();
  lowered made;
  made.words = finish();
  made.has_word_pairs = m_has_wide_constants;
  made.group_memory_is_words = m_packs_arena;
  return made;
}

void rewriter::scan() {
  for_each(m_in, [&](const instruction& i) {
    const auto& o = i.operands;
    const result_form form = form_of(i.code);
    if (form.type && o.size() >= 2) m_type_of[o[1]] = o[0];
    if (!form.type && form.result && !o.empty()) scan_type(i);
    if (i.code == spv::OpExtInstImport && o.size() > 1 && o[1] == 0x4c534c47) m_glsl = o[0]; // "GLSL"
    if (i.code == spv::OpConstant && integer_bits(o[0]) != 0)
      m_constants[o[1]] = o[2] | (o.size() > 3 ? std::uint64_t{o[3]} << 32 : 0);
    if (i.code == spv::OpDecorate && o.size() == 3 && o[1] == spv::DecorationSpecId && o[2] == arena_spec_id)
      m_arena_length = o[0];
    if (i.code == spv::OpDecorate && o[1] == spv::DecorationNoContraction) m_exact.insert(o[0]);
    const bool is_access =
        (i.code == spv::OpLoad && o.size() > 3) || (i.code == spv::OpStore && o.size() > 2);
    const word how = !is_access ? 0 : i.code == spv::OpLoad ? o[3] : o[2];
    m_has_shared_accesses |= (how & spv::MemoryAccessNonPrivatePointerMask) != 0;
    m_uses_addresses |= i.code == spv::OpConvertUToPtr;
  });
  if (m_lacks.int64)
    for (const auto& [type, info] : m_types)
      if (is_pair(type)) m_pair = m_pair == 0 ? type : m_pair;
  for (const auto& [type, info] : m_types)
    if (info.code == spv::OpTypeVector && info.bits == 2 && info.element == m_u32) m_pair = type;
  const auto make = [&](id& type) { type = type == 0 ? fresh() : type; };
  make(m_u32), make(m_bool), make(m_pair);
  m_made_globals[{spv::OpTypeVector, 0, m_u32, 2}] = m_pair;
  for (const auto& [type, info] : m_types)
    if (is_lowered(type)) m_aliases[type] = is_pair(type) ? m_pair : m_u32;
  for (auto& [type, info] : m_types) { // arrays of work-group memory
    if (info.code != spv::OpTypePointer || info.storage != spv::StorageClassWorkgroup) continue;
    const auto array = m_types.find(info.element);
    if (array == m_types.end() || array->second.code != spv::OpTypeArray || !is_narrow(array->second.element))
      continue;
    if (array->second.bits != m_arena_length)
      throw refused{"an array of 8- or 16-bit integers in work-group memory that is not the arena"};
    array->second.is_packed = m_packs_arena = true;
  }
}

void rewriter::scan_type(const instruction& i) {
  const auto& o = i.operands;
  type_info info;
  info.code = i.code;
  switch (i.code) {
    case spv::OpTypeInt:
      info.bits = o[1];
      if (o[2] != 0 && (m_lacks.int64 || m_lacks.int16 || m_lacks.int8))
        throw refused{"integer types with a sign, which PRISM's compiler does not write"};
      if (o[1] == 32) m_u32 = o[0];
      break;
    case spv::OpTypeFloat:
      info.bits = o[1];
      if (o.size() == 2) m_made_globals[{spv::OpTypeFloat, 0, o[1]}] = o[0]; // IEEE 754's
      break;
    case spv::OpTypeBool: m_bool = o[0]; break;
    case spv::OpTypeVector:
      info.element = o[1];
      info.bits = o[2];
      m_made_globals[{spv::OpTypeVector, 0, o[1], o[2]}] = o[0];
      if (is_lowered(o[1])) throw refused{"vectors of 8-, 16- or 64-bit integers"};
      break;
    case spv::OpTypeArray:
      info.element = o[1];
      info.bits = o[2]; // the id of its length
      break;
    case spv::OpTypePointer:
      info.storage = o[1];
      info.element = o[2];
      break;
    case spv::OpTypeVoid:
    case spv::OpTypeStruct:
    case spv::OpTypeFunction: break;
    default: return;
  }
  m_types[o[0]] = info;
}

unsigned rewriter::integer_bits(id type) const {
  const auto found = m_types.find(type);
  return found != m_types.end() && found->second.code == spv::OpTypeInt ? found->second.bits : 0;
}

bool rewriter::is_narrow(id type) const {
  const unsigned bits = integer_bits(type);
  return (bits == 8 && m_lacks.int8) || (bits == 16 && m_lacks.int16);
}

id rewriter::type_of(id value) const {
  const auto found = m_type_of.find(value);
  return found == m_type_of.end() ? 0 : found->second;
}

unsigned rewriter::bits_of(id value) const { return integer_bits(type_of(value)); }

id rewriter::alias(id type) const {
  const auto found = m_aliases.find(type);
  return found == m_aliases.end() ? type : found->second;
}

std::optional<std::uint64_t> rewriter::known(id value) const {
  const auto found = m_constants.find(value);
  if (found == m_constants.end()) return std::nullopt;
  return found->second;
}

void rewriter::op(spv::Op code, const words& operands) { append(*m_code, code, operands); }

void rewriter::emit_as(id result, spv::Op code, id type, std::initializer_list<word> operands) {
  words all{type, result};
  all.insert(all.end(), operands);
  op(code, all);
}

id rewriter::emit(spv::Op code, id type, std::initializer_list<word> operands) {
  const id result = fresh();
  emit_as(result, code, type, operands);
  m_type_of[result] = type;
  return result;
}

/// A type or constant of the module, made once.
id rewriter::global(spv::Op code, id type, const words& operands) {
  words key{static_cast<word>(code), type};
  key.insert(key.end(), operands.begin(), operands.end());
  id& made = m_made_globals[key];
  if (made != 0) return made;
  made = fresh();
  words all;
  if (type != 0) all.push_back(type);
  all.push_back(made);
  all.insert(all.end(), operands.begin(), operands.end());
  append(m_globals, code, all);
  return made;
}

id rewriter::constant(word value) {
  id& made = m_made_constants[value];
  if (made == 0) {
    made = global(spv::OpConstant, m_u32, {value});
    m_constants[made] = value;
    m_type_of[made] = m_u32;
  }
  return made;
}

id rewriter::pointer_type(spv::StorageClass storage, id pointee) {
  return global(spv::OpTypePointer, 0, {static_cast<word>(storage), pointee});
}

void rewriter::take(const instruction& i) {
  const auto& o = i.operands;
  if (i.code == spv::OpCapability) return take_capability(o[0]);
  if (i.code == spv::OpExtension) return append(m_extensions, i.code, o);
  if (i.code == spv::OpExtInstImport) return append(m_imports, i.code, o);
  if (i.code == spv::OpMemoryModel) {
    const word addressing = m_lacks.addresses ? word{spv::AddressingModelLogical} : o[0];
    const word model = m_lacks.memory_model ? word{spv::MemoryModelGLSL450} : o[1];
    return append(m_model, i.code, words{addressing, model});
  }
  if (i.code == spv::OpEntryPoint) return void(m_entries.emplace_back(o.begin(), o.end()));
  if (i.code == spv::OpExecutionMode) return append(m_modes, i.code, o);
  if (is_debug(i.code)) return append(m_debug, i.code, o);
  if (is_annotation(i.code)) return append(m_annotations, i.code, o);
  if (i.code == spv::OpFunction) m_in_function = true;
  if (!m_has_begun_globals) begin_globals();
  if (!m_in_function) return take_global(i);
  take_body(i);
}

void rewriter::take_capability(word capability) {
  const bool left_out =
      (capability == spv::CapabilityInt64 && m_lacks.int64) ||
      (capability == spv::CapabilityInt16 && m_lacks.int16) ||
      (capability == spv::CapabilityStorageBuffer16BitAccess && (m_lacks.int16 || m_lacks.addresses)) ||
      (capability == spv::CapabilityInt8 && m_lacks.int8) ||
      (capability == spv::CapabilityStorageBuffer8BitAccess && (m_lacks.int8 || m_lacks.addresses)) ||
      (capability == spv::CapabilityVulkanMemoryModel && m_lacks.memory_model) ||
      (capability == spv::CapabilityPhysicalStorageBufferAddresses && m_lacks.addresses);
  if (capability == spv::CapabilityInt64Atomics && (m_lacks.int64 || m_lacks.addresses))
    throw refused{"64-bit atomic operations"};
  if (!left_out) append(m_capabilities, spv::OpCapability, words{capability});
}

/// Types that the replacements use, before all others.
void rewriter::begin_globals() {
  m_has_begun_globals = true;
  append(m_globals, spv::OpTypeInt, words{m_u32, 32, 0});
  append(m_globals, spv::OpTypeBool, words{m_bool});
  append(m_globals, spv::OpTypeVector, words{m_pair, m_u32, 2});
  if (m_lacks.addresses && m_uses_addresses) declare_buffer();
}

void rewriter::declare_buffer() {
  const id array = global(spv::OpTypeRuntimeArray, 0, {m_u32}), block = fresh();
  append(m_globals, spv::OpTypeStruct, words{block, array});
  append(m_annotations, spv::OpDecorate, words{array, spv::DecorationArrayStride, 4});
  append(m_annotations, spv::OpDecorate, words{block, spv::DecorationBlock});
  append(m_annotations, spv::OpMemberDecorate, words{block, 0, spv::DecorationOffset, 0});
  if (m_lacks.memory_model && m_has_shared_accesses)
    append(m_annotations, spv::OpMemberDecorate, words{block, 0, spv::DecorationCoherent});
  const id pointer = pointer_type(spv::StorageClassStorageBuffer, block);
  m_buffer = fresh();
  append(m_globals, spv::OpVariable, words{pointer, m_buffer, spv::StorageClassStorageBuffer});
  append(m_annotations, spv::OpDecorate, words{m_buffer, spv::DecorationDescriptorSet, 0});
  append(m_annotations, spv::OpDecorate, words{m_buffer, spv::DecorationBinding, 0});
  for (words& entry : m_entries) entry.push_back(m_buffer);
}

void rewriter::take_global(const instruction& i) {
  words o(i.operands.begin(), i.operands.end());
  switch (i.code) {
    case spv::OpTypeInt:
    case spv::OpTypeBool:
    case spv::OpTypeVector:
      if (o[0] == m_u32 || o[0] == m_bool || o[0] == m_pair || is_lowered(o[0])) return;
      break;
    case spv::OpTypeArray: o[1] = alias(o[1]); break;
    case spv::OpTypePointer:
      if (m_lacks.addresses && o[1] == spv::StorageClassPhysicalStorageBuffer) return;
      if (o[1] == spv::StorageClassWorkgroup && is_narrow(o[2])) return; // to an element of packed memory
      o[2] = alias(o[2]);
      break;
    case spv::OpTypeStruct:
    case spv::OpTypeFunction:
      for (std::size_t k = 1; k < o.size(); ++k) o[k] = alias(o[k]);
      break;
    case spv::OpConstant:
    case spv::OpSpecConstant: return take_constant(i);
    case spv::OpSpecConstantOp:
      if (is_lowered(o[0])) throw refused{"specialisation constants computed in 8, 16 or 64 bits"};
      break;
    default:
      if (form_of(i.code).type) o[0] = alias(o[0]);
  }
  append(m_globals, i.code, o);
}

void rewriter::take_constant(const instruction& i) {
  words o(i.operands.begin(), i.operands.end());
  if (is_narrow(o[0])) {
    if (i.code == spv::OpSpecConstant) throw refused{"specialisation constants of 8 or 16 bits"};
    return append(m_globals, i.code, words{m_u32, o[1], o[2] & ((1u << integer_bits(o[0])) - 1)});
  }
  if (!is_pair(o[0])) return append(m_globals, i.code, o);
  if (i.code == spv::OpConstant) {
    m_pairs[o[1]] = {constant(o[2]), constant(o[3])};
    return append(m_globals, spv::OpConstantComposite,
                  words{m_pair, o[1], m_pairs[o[1]].low, m_pairs[o[1]].high});
  }
  // The decoration of the constant's number stays on the low word, which therefore needs an id of its own.
  m_has_wide_constants = true;
  const pair made{fresh(), fresh()};
  words annotations;
  for (std::size_t at = 0; at < m_annotations.size(); at += m_annotations[at] >> 16) {
    words each(m_annotations.begin() + std::ptrdiff_t(at),
               m_annotations.begin() + std::ptrdiff_t(at + (m_annotations[at] >> 16)));
    const bool numbers =
        (each[0] & 0xffff) == spv::OpDecorate && each[1] == o[1] && each[2] == spv::DecorationSpecId;
    if (numbers) {
      each[1] = made.low;
      append(annotations, spv::OpDecorate, words{made.high, spv::DecorationSpecId, each[3] | high_word});
    }
    annotations.insert(annotations.end(), each.begin(), each.end());
  }
  m_annotations = std::move(annotations);
  append(m_globals, spv::OpSpecConstant, words{m_u32, made.low, o[2]});
  append(m_globals, spv::OpSpecConstant, words{m_u32, made.high, o[3]});
  append(m_globals, spv::OpSpecConstantComposite, words{m_pair, o[1], made.low, made.high});
  m_pairs[o[1]] = made;
}

void rewriter::keep(const instruction& i) {
  words o(i.operands.begin(), i.operands.end());
  if (form_of(i.code).type) o[0] = alias(o[0]);
  op(i.code, o);
}

void rewriter::take_body(const instruction& i) {
  const auto& o = i.operands;
  switch (i.code) {
    case spv::OpLabel: m_pairs_here.clear(); return keep(i);
    case spv::OpPhi:
    case spv::OpSelect:
    case spv::OpCopyObject:
    case spv::OpUndef:
    case spv::OpFunction:
    case spv::OpFunctionParameter:
    case spv::OpFunctionCall: return keep(i);
    case spv::OpSwitch:
      if (is_lowered(type_of(o[0]))) throw refused{"a switch over 8-, 16- or 64-bit integers"};
      return keep(i);
    default: break;
  }
  if (access(i) || conversion(i) || take_arithmetic(i)) return;
  bool is_unknown = form_of(i.code).type && is_lowered(o[0]);
  for (const word operand : value_operands(i))
    is_unknown |= is_lowered(type_of(operand)) || m_locations.count(operand) != 0;
  if (is_unknown)
    throw refused{"the SPIR-V instruction " + std::to_string(i.code) +
                  " on 8-, 16- or 64-bit integers or addresses"};
  keep(i);
}

bool rewriter::take_arithmetic(const instruction& i) {
  if (!form_of(i.code).type) return false;
  if (exact_float(i)) return true;
  const auto& o = i.operands;
  if (is_pair(o[0])) return pair_arithmetic(i);
  if (is_narrow(o[0])) return narrow_arithmetic(i);
  if (is_comparison(i.code)) {
    if (is_pair(type_of(o[2]))) return pair_comparison(i), true;
    if (is_narrow(type_of(o[2]))) return narrow_comparison(i), true;
    return false;
  }
  switch (i.code) {
    case spv::OpShiftLeftLogical:
    case spv::OpShiftRightLogical:
    case spv::OpShiftRightArithmetic:
      if (!is_lowered(type_of(o[3]))) return false;
      emit_as(o[1], i.code, o[0], {o[2], shift_amount(o[3])});
      return true;
    default: return false;
  }
}

words rewriter::finish() const {
  words out{m_in[0], m_in[1], m_in[2], m_bound, m_in[4]};
  const auto add = [&](const words& section) { out.insert(out.end(), section.begin(), section.end()); };
  for (const words* section : {&m_capabilities, &m_extensions, &m_imports, &m_model}) add(*section);
  for (const words& entry : m_entries) append(out, spv::OpEntryPoint, entry);
  for (const words* section : {&m_modes, &m_debug, &m_annotations, &m_globals, &m_helpers, &m_functions})
    add(*section);
  return out;
}

} // namespace prism::devices::vulkan::lower
