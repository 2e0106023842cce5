#include "compiler/spirv/builder.hpp"
#include "compiler/spirv/cooperative_matrix.hpp"

#include <cassert>
#include <utility>

namespace prism::compiler::spirv {

namespace {

constexpr word version_1_5 = 0x00010500; // the newest version that Vulkan 1.2 accepts

word first_word(spv::Op opcode, std::size_t operands) {
  assert(operands + 1 < 0x10000);
  return static_cast<word>((operands + 1) << 16) | static_cast<word>(opcode);
}

} // namespace

void stream::op(spv::Op opcode, std::initializer_list<word> operands) {
  m_words.push_back(first_word(opcode, operands.size()));
  m_words.insert(m_words.end(), operands.begin(), operands.end());
}

void stream::op(spv::Op opcode, const std::vector<word>& operands) {
  m_words.push_back(first_word(opcode, operands.size()));
  m_words.insert(m_words.end(), operands.begin(), operands.end());
}

void stream::append(const stream& other) {
  m_words.insert(m_words.end(), other.m_words.begin(), other.m_words.end());
}

std::vector<word> literal(std::string_view text) {
  std::vector<word> words(text.size() / 4 + 1, 0);
  for (std::size_t i = 0; i < text.size(); ++i)
    words[i / 4] |= static_cast<word>(static_cast<unsigned char>(text[i])) << (8 * (i % 4));
  return words;
}

id builder::unique(spv::Op opcode, id type, const std::vector<word>& operands) {
  std::vector<word> key{static_cast<word>(opcode), type};
  key.insert(key.end(), operands.begin(), operands.end());
  auto [found, added] = m_known.try_emplace(std::move(key), 0);
  if (!added) return found->second;
  const id result = fresh();
  found->second = result;
  std::vector<word> all;
  if (type != 0) all.push_back(type);
  all.push_back(result);
  all.insert(all.end(), operands.begin(), operands.end());
  m_globals.op(opcode, all);
  return result;
}

id builder::type_void() { return unique(spv::OpTypeVoid, 0, {}); }
id builder::type_bool() { return unique(spv::OpTypeBool, 0, {}); }

id builder::type_int(unsigned bits) {
  if (bits == 8) capability(spv::CapabilityInt8);
  if (bits == 16) capability(spv::CapabilityInt16);
  if (bits == 64) capability(spv::CapabilityInt64);
  return unique(spv::OpTypeInt, 0, {bits, 0}); // signedness belongs to the operations
}

id builder::type_float(unsigned bits) {
  if (bits == 16) capability(spv::CapabilityFloat16);
  if (bits == 64) capability(spv::CapabilityFloat64);
  return unique(spv::OpTypeFloat, 0, {bits});
}

id builder::type_bfloat16() {
  capability(khr::capability_bfloat16_type);
  extension(khr::bfloat16_extension);
  return unique(spv::OpTypeFloat, 0, {16, khr::bfloat16_encoding});
}

id builder::type_vector(id element, unsigned count) { return unique(spv::OpTypeVector, 0, {element, count}); }
id builder::type_array(id element, id length) { return unique(spv::OpTypeArray, 0, {element, length}); }
id builder::type_cooperative_matrix(id component, id scope, id rows, id columns, id use) {
  return unique(khr::op_type_cooperative_matrix, 0, {component, scope, rows, columns, use});
}
id builder::type_function(id result, std::initializer_list<id> parameters) {
  std::vector<word> all{result};
  all.insert(all.end(), parameters.begin(), parameters.end());
  return unique(spv::OpTypeFunction, 0, all);
}

id builder::type_pointer(spv::StorageClass storage, id pointee) {
  return unique(spv::OpTypePointer, 0, {static_cast<word>(storage), pointee});
}

id builder::type_struct(const std::vector<id>& members) {
  const id result = fresh();
  std::vector<word> all{result};
  all.insert(all.end(), members.begin(), members.end());
  m_globals.op(spv::OpTypeStruct, all);
  return result;
}

id builder::constant_bool(bool value) {
  return unique(value ? spv::OpConstantTrue : spv::OpConstantFalse, type_bool(), {});
}

id builder::constant(id type, unsigned bits, std::uint64_t pattern) {
  if (bits < 64) pattern &= (std::uint64_t{1} << bits) - 1;
  if (bits == 64)
    return unique(spv::OpConstant, type, {static_cast<word>(pattern), static_cast<word>(pattern >> 32)});
  return unique(spv::OpConstant, type, {static_cast<word>(pattern)});
}

id builder::constant_null(id type) { return unique(spv::OpConstantNull, type, {}); }

id builder::constant_composite(id type, const std::vector<id>& parts) {
  return unique(spv::OpConstantComposite, type, parts);
}

id builder::spec_constant_u32(std::uint32_t spec_id, std::uint32_t value) {
  const id result = fresh();
  m_globals.op(spv::OpSpecConstant, {type_int(32), result, value});
  decorate(result, spv::DecorationSpecId, {spec_id});
  return result;
}

id builder::spec_constant(id type, unsigned bits, std::uint32_t spec_id) {
  const id result = fresh();
  if (bits == 64) m_globals.op(spv::OpSpecConstant, {type, result, 0, 0});
  else m_globals.op(spv::OpSpecConstant, {type, result, 0});
  decorate(result, spv::DecorationSpecId, {spec_id});
  return result;
}

id builder::spec_constant_false(std::uint32_t spec_id) {
  const id result = fresh();
  m_globals.op(spv::OpSpecConstantFalse, {type_bool(), result});
  decorate(result, spv::DecorationSpecId, {spec_id});
  return result;
}

id builder::spec_constant_composite(id type, const std::vector<id>& parts) {
  const id result = fresh();
  std::vector<word> all{type, result};
  all.insert(all.end(), parts.begin(), parts.end());
  m_globals.op(spv::OpSpecConstantComposite, all);
  return result;
}

id builder::global_variable(id pointer_type, spv::StorageClass storage) {
  const id result = fresh();
  m_globals.op(spv::OpVariable, {pointer_type, result, static_cast<word>(storage)});
  m_interface.push_back(result);
  return result;
}

id builder::glsl() {
  if (m_glsl == 0) m_glsl = fresh();
  return m_glsl;
}

void builder::decorate(id target, spv::Decoration decoration, std::initializer_list<word> operands) {
  std::vector<word> all{target, static_cast<word>(decoration)};
  all.insert(all.end(), operands);
  m_decorations.op(spv::OpDecorate, all);
}

void builder::decorate_member(id target, word member, spv::Decoration decoration,
                              std::initializer_list<word> operands) {
  std::vector<word> all{target, member, static_cast<word>(decoration)};
  all.insert(all.end(), operands);
  m_decorations.op(spv::OpMemberDecorate, all);
}

void builder::execution_mode(spv::ExecutionMode mode, std::initializer_list<word> operands) {
  std::vector<word> all{static_cast<word>(mode)};
  all.insert(all.end(), operands);
  m_modes.push_back(std::move(all));
}

void builder::text(std::string_view content) {
  std::vector<word> all{fresh()};
  const std::vector<word> characters = literal(content);
  all.insert(all.end(), characters.begin(), characters.end());
  m_texts.op(spv::OpString, all);
}

void builder::name(id target, std::string_view text) {
  std::vector<word> all{target};
  const std::vector<word> characters = literal(text);
  all.insert(all.end(), characters.begin(), characters.end());
  m_names.op(spv::OpName, all);
}

std::vector<word> builder::finish(id entry, std::string_view entry_name, const stream& function) const {
  stream head;
  for (spv::Capability value : m_capabilities) head.op(spv::OpCapability, {static_cast<word>(value)});
  for (const std::string& extension : m_extensions) head.op(spv::OpExtension, literal(extension));
  if (m_glsl != 0) {
    std::vector<word> import{m_glsl};
    const std::vector<word> set = literal("GLSL.std.450");
    import.insert(import.end(), set.begin(), set.end());
    head.op(spv::OpExtInstImport, import);
  }
  head.op(spv::OpMemoryModel, {spv::AddressingModelPhysicalStorageBuffer64, spv::MemoryModelVulkan});
  std::vector<word> point{spv::ExecutionModelGLCompute, entry};
  const std::vector<word> characters = literal(entry_name);
  point.insert(point.end(), characters.begin(), characters.end());
  point.insert(point.end(), m_interface.begin(), m_interface.end());
  head.op(spv::OpEntryPoint, point);
  for (const std::vector<word>& mode : m_modes) {
    std::vector<word> all{entry};
    all.insert(all.end(), mode.begin(), mode.end());
    head.op(spv::OpExecutionMode, all);
  }

  std::vector<word> module{spv::MagicNumber, version_1_5, 0, m_last + 1, 0};
  for (const stream* section :
       {&std::as_const(head), &m_texts, &m_names, &m_decorations, &m_globals, &function})
    module.insert(module.end(), section->words().begin(), section->words().end());
  return module;
}

} // namespace prism::compiler::spirv
