// The form of the Vulkan SPIR-V of kernels that may be fused: their instructions, by the numbers in the
// SPIR-V specification (section 3), as fuse_spirv reads them. Has a reader of modules and a writer of
// instructions. Pure. compiler/spirv does not include this file: tests/compiler/spirv compares what it writes
// with shape_of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace prism::image_format {

using word = std::uint32_t;
using words = std::vector<word>;

inline constexpr word magic = 0x07230203, header_words = 5;
enum op : word {
  op_nop = 0,
  op_name = 5,
  op_extension = 10,
  op_ext_inst_import = 11,
  op_ext_inst = 12,
  op_memory_model = 14,
  op_entry_point = 15,
  op_execution_mode = 16,
  op_capability = 17,
  op_type_void = 19,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_array = 28,
  op_type_struct = 30,
  op_type_pointer = 32,
  op_type_function = 33,
  op_constant_true = 41,
  op_constant_false = 42,
  op_constant = 43,
  op_constant_composite = 44,
  op_constant_null = 46,
  op_spec_constant_true = 48,
  op_spec_constant_false = 49,
  op_spec_constant = 50,
  op_spec_constant_composite = 51,
  op_function = 54,
  op_function_end = 56,
  op_function_call = 57,
  op_variable = 59,
  op_load = 61,
  op_store = 62,
  op_access_chain = 65,
  op_decorate = 71,
  op_member_decorate = 72,
  op_composite_construct = 80,
  op_composite_extract = 81,
  op_convert_u_to_ptr = 120,
  op_i_add = 128,
  op_phi = 245,
  op_loop_merge = 246,
  op_selection_merge = 247,
  op_label = 248,
  op_branch = 249,
  op_branch_conditional = 250,
  op_return = 253,
  op_bit_count = 205,
};
enum storage : word {
  storage_input = 1,
  storage_private = 6,
  storage_function = 7,
  storage_push_constant = 9
};
inline constexpr word execution_model_compute = 5;

struct instruction {
  word code = 0;
  std::span<const word> operands;
};

/// The operands of an instruction: first the type and the result, if it has them, then ids, then literals.
struct shape {
  bool type = false, result = false;
  std::size_t ids_end = ~std::size_t{0}; // index of the first literal
  std::size_t literal = ~std::size_t{0}; // index of a literal among the ids
};

/// Returns false for an instruction that the function of a kernel that may be fused does not have: those of
/// atomics, barriers, sub-groups and the clock, and all that compiler/spirv does not write.
bool shape_of(word code, shape& out);

class module_reader {
public:
  explicit module_reader(std::span<const word> all) : m_all(all) {}
  bool valid() const { return m_all.size() > header_words && m_all[0] == magic; }
  word version() const { return m_all[1]; }
  /// Calls take(instruction) for each instruction. Returns false if the module is damaged.
  template <typename Take>
  bool read(const Take& take) const {
    for (std::size_t at = header_words; at < m_all.size();) {
      const std::size_t length = m_all[at] >> 16;
      if (length == 0 || length > m_all.size() - at) return false;
      take(instruction{m_all[at] & 0xffff, m_all.subspan(at + 1, length - 1)});
      at += length;
    }
    return true;
  }

private:
  std::span<const word> m_all;
};

void append(words& to, word code, const words& operands);
/// Encodes a string operand: UTF-8, four bytes per word, null-terminated.
words literal(std::string_view text);

} // namespace prism::image_format
