#include "image_format/spirv_words.hpp"

namespace prism::image_format {

bool shape_of(word code, shape& out) {
  constexpr auto any = ~std::size_t{0};
  switch (code) {
    case op_label: out = {false, true, any, any}; return true;
    case op_return:
    case op_function_end:
    case op_branch: out = {false, false, any, any}; return true;
    case op_branch_conditional: out = {false, false, 3, any}; return true; // the literals are branch weights
    case op_selection_merge: out = {false, false, 1, any}; return true;
    case op_loop_merge: out = {false, false, 2, any}; return true;
    case op_store: out = {false, false, 2, any}; return true;
    case op_load: out = {true, true, 3, any}; return true;
    case op_composite_extract: out = {true, true, 3, any}; return true;
    case op_variable: out = {true, true, any, 2}; return true;
    case op_ext_inst: out = {true, true, any, 3}; return true;
    case op_function: out = {true, true, any, 2}; return true;
    case op_access_chain:
    case op_phi:
    case op_composite_construct:
    case op_bit_count: out = {true, true, any, any}; return true;
    case op_s_dot:
    case op_u_dot:
    case op_su_dot: out = {true, true, 4, any}; return true; // the literal is the format of the bytes
    default: break;
  }
  // Conversions, arithmetic, comparisons and bit operations have a type, a result and ids.
  const bool is_value =
      (code >= 109 && code <= 124) || (code >= 126 && code <= 142) || (code >= 164 && code <= 200);
  out = {true, true, any, any};
  return is_value;
}

bool shape_of_shared(word code, shape& out) {
  const bool has_result = code == op_function_call || (code >= op_atomic_load && code <= op_atomic_xor);
  out = {has_result && code != op_atomic_store, has_result && code != op_atomic_store, ~std::size_t{0},
         ~std::size_t{0}};
  return has_result || code == op_control_barrier || code == op_memory_barrier || code == op_unreachable;
}

std::string text_of(std::span<const word> words) {
  std::string out;
  for (const word w : words)
    for (int byte = 0; byte < 4; ++byte) {
      const char c = static_cast<char>(w >> (8 * byte) & 0xff);
      if (c == '\0') return out;
      out += c;
    }
  return out;
}

void append(words& to, word code, const words& operands) {
  to.push_back(static_cast<word>(operands.size() + 1) << 16 | code);
  to.insert(to.end(), operands.begin(), operands.end());
}

words literal(std::string_view text) {
  words out((text.size() + 4) / 4);
  for (std::size_t i = 0; i < text.size(); ++i)
    out[i / 4] |= static_cast<word>(static_cast<unsigned char>(text[i])) << (i % 4 * 8);
  return out;
}

} // namespace prism::image_format
