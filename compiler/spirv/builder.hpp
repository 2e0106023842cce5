// Writes SPIR-V: ids, types and constants without duplicates, and sections in the order that the
// specification requires.
//
// The builder does not depend on LLVM. A request for a type or a constant adds the capabilities that it
// needs. The caller's stream receives the instructions of the function; the builder's own sections receive
// everything else.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp>

namespace prism::compiler::spirv {

using word = std::uint32_t;
using id = std::uint32_t; // 0 is not an id

/// A sequence of instructions.
class stream {
public:
  void op(spv::Op opcode, std::initializer_list<word> operands);
  void op(spv::Op opcode, const std::vector<word>& operands);
  void append(const stream& other);
  const std::vector<word>& words() const { return m_words; }

private:
  std::vector<word> m_words;
};

class builder {
public:
  id fresh() { return ++m_last; }

  id type_void();
  id type_bool();
  id type_int(unsigned bits);
  id type_float(unsigned bits);
  id type_bfloat16();
  id type_vector(id element, unsigned count);
  id type_array(id element, id length);
  id type_pointer(spv::StorageClass storage, id pointee);
  id type_cooperative_matrix(id component, id scope, id rows, id columns, id use);
  id type_function(id result, std::initializer_list<id> parameters = {});
  /// Never shared, because it has decorations of its own.
  id type_struct(const std::vector<id>& members);

  id constant_bool(bool value);
  /// An integer or float constant of 8 to 64 bits, by its bit pattern.
  id constant(id type, unsigned bits, std::uint64_t pattern);
  id constant_null(id type);
  id constant_composite(id type, const std::vector<id>& parts);
  id spec_constant_u32(std::uint32_t spec_id, std::uint32_t value);
  /// An integer of 32 or 64 bits, 0 by default.
  id spec_constant(id type, unsigned bits, std::uint32_t spec_id);
  id spec_constant_false(std::uint32_t spec_id);
  /// A text in the module that no instruction uses.
  void text(std::string_view content);
  id spec_constant_composite(id type, const std::vector<id>& parts);

  /// A module-scope variable; part of the entry point's interface.
  id global_variable(id pointer_type, spv::StorageClass storage);

  void capability(spv::Capability value) { m_capabilities.insert(value); }
  void extension(std::string_view name) { m_extensions.emplace(name); }
  id glsl();

  void decorate(id target, spv::Decoration decoration, std::initializer_list<word> operands = {});
  void decorate_member(id target, word member, spv::Decoration decoration,
                       std::initializer_list<word> operands = {});
  void execution_mode(spv::ExecutionMode mode, std::initializer_list<word> operands);
  void name(id target, std::string_view text);

  /// The finished module with one entry point. `function` is the whole function, from OpFunction to
  /// OpFunctionEnd.
  std::vector<word> finish(id entry, std::string_view entry_name, const stream& function) const;

private:
  id unique(spv::Op opcode, id type, const std::vector<word>& operands);

  id m_last = 0;
  id m_glsl = 0;
  std::map<std::vector<word>, id> m_known;
  std::set<spv::Capability> m_capabilities;
  std::set<std::string> m_extensions;
  std::vector<id> m_interface;
  std::vector<std::vector<word>> m_modes; // operands after the entry point's id
  stream m_texts, m_names;
  stream m_decorations;
  stream m_globals;
};

/// The words of a SPIR-V literal string.
std::vector<word> literal(std::string_view text);

} // namespace prism::compiler::spirv
