// The form of the Vulkan SPIR-V of kernels that may be fused: their instructions, by the numbers in the
// SPIR-V specification (section 3), as fuse_spirv reads them. Has a reader of modules and a writer of
// instructions. Pure. compiler/spirv does not include this file: tests/compiler/spirv compares what it writes
// with shape_of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
  op_function_parameter = 55,
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
  op_bitcast = 124,
  op_i_add = 128,
  op_i_sub = 130,
  op_phi = 245,
  op_loop_merge = 246,
  op_selection_merge = 247,
  op_label = 248,
  op_branch = 249,
  op_branch_conditional = 250,
  op_control_barrier = 224,
  op_memory_barrier = 225,
  op_atomic_load = 227,
  op_atomic_store = 228,
  op_atomic_xor = 242,
  op_return = 253,
  op_return_value = 254,
  op_unreachable = 255,
  op_bit_count = 205,
  op_s_dot = 4450,
  op_u_dot = 4451,
  op_su_dot = 4452,
};
enum storage : word {
  storage_input = 1,
  storage_private = 6,
  storage_function = 7,
  storage_push_constant = 9
};
inline constexpr word execution_model_compute = 5;
inline constexpr word decoration_spec_id = 1, decoration_built_in = 11;
inline constexpr word built_in_work_group_size = 25, built_in_work_group_id = 26,
                      built_in_local_invocation_id = 27;

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
/// The same for instructions that only a kernel that calls elements may have: calls, atomics and barriers.
bool shape_of_shared(word code, shape& out);

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
/// The string that the words encode.
std::string text_of(std::span<const word> words);
/// Encodes a string operand: UTF-8, four bytes per word, null-terminated.
words literal(std::string_view text);

} // namespace prism::image_format
