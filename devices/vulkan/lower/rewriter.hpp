// The rewriting of one module: the state that the parts share. module.cpp: sections, types, constants and the
// choice of a part for each instruction; pairs.cpp: 64-bit arithmetic on two words; divide.cpp: their
// division; narrow.cpp: 8- and 16-bit arithmetic; floats.cpp: float division and roots; convert.cpp:
// conversions; access.cpp: memory.
//
// An id of the module keeps its number, so its uses need no change: the last instruction of each replacement
// defines it. A pointer made of an address has no instruction of its own any more; each access makes the
// pointer that it needs.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"
#include "devices/vulkan/lower/lower.hpp"

#include <initializer_list>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace prism::devices::vulkan::lower {

struct type_info {
  spv::Op code = spv::OpNop;
  unsigned bits = 0;      // of integers and floats
  id element = 0;         // of pointers: what they point to; of arrays: their elements
  word storage = 0;       // of pointers
  bool is_packed = false; // an array of work-group memory whose narrow elements share words
};

struct pair {
  id low = 0, high = 0;
};

/// A pointer whose accesses this rewrites: to a location in global memory, or to an element of packed
/// work-group memory.
struct location {
  id address = 0;          // a 64-bit integer; 0 for an element
  id array = 0, index = 0; // for an element
  id pointee = 0;          // the module's type
};

class rewriter {
public:
  rewriter(std::span<const word> module, const lacks& what);
  lowered run();

private:
  // module.cpp
  void scan();
  void scan_type(const instruction& i);
  void take(const instruction& i);
  void take_capability(word capability);
  void take_global(const instruction& i);
  void take_constant(const instruction& i);
  void take_body(const instruction& i);
  bool take_arithmetic(const instruction& i);
  void keep(const instruction& i); // with its type replaced
  void begin_globals();
  void declare_buffer();
  words finish() const;

  unsigned integer_bits(id type) const; // 0: not an integer
  unsigned bits_of(id value) const;     // of an integer value, as the module has it
  bool is_pair(id type) const { return m_lacks.int64 && integer_bits(type) == 64; }
  bool is_narrow(id type) const;
  bool is_lowered(id type) const { return is_pair(type) || is_narrow(type); }
  id type_of(id value) const;
  id alias(id type) const;
  std::optional<std::uint64_t> known(id value) const;

  id fresh() { return m_bound++; }
  id constant(word value);
  id global(spv::Op code, id type, const words& operands);
  id pointer_type(spv::StorageClass storage, id pointee);
  void op(spv::Op code, const words& operands);
  id emit(spv::Op code, id type, std::initializer_list<word> operands);
  /// Defines `result`.
  void emit_as(id result, spv::Op code, id type, std::initializer_list<word> operands);
  id u32(spv::Op code, std::initializer_list<word> operands) { return emit(code, m_u32, operands); }
  id test(spv::Op code, std::initializer_list<word> operands) { return emit(code, m_bool, operands); }
  id choose(id condition, id yes, id no) { return u32(spv::OpSelect, {condition, yes, no}); }

  // pairs.cpp
  pair parts(id value);
  void define(id result, pair value);
  id shift_amount(id value);
  bool pair_arithmetic(const instruction& i);
  void pair_comparison(const instruction& i);
  pair add(pair a, pair b);
  pair subtract(pair a, pair b);
  pair multiply(pair a, pair b);
  pair shift(spv::Op code, pair value, id amount);
  pair shift_by(spv::Op code, pair value, unsigned amount);
  pair with_sign(pair value, id sign); // negated if sign is all ones
  id less(bool is_signed, pair a, pair b);

  // divide.cpp
  void divide(const instruction& i);
  id division_function();
  id glsl_instructions();
  id most_significant_bit(id value);
  pair divide_words(id high, id low, id divisor);
  pair digit(id numerator, id next, id divisor);

  // floats.cpp
  id single();
  id real(word bits); // a constant
  id bits_of_single(id value);
  id single_of_bits(id bits);
  id exactly(spv::Op code, std::initializer_list<word> operands);
  id fused(id a, id b, id c);
  id refined_quotient(id a, id b);
  pair exponent_and_significand(id bits);
  id scaled_quotient(id a_bits, id b_bits);
  id any_quotient(id a_bits, id b_bits);
  id float_division_function();
  id refined_root(id x);
  id root_function();
  bool exact_float(const instruction& i);
  void keep_subnormals();

  // narrow.cpp
  bool narrow_arithmetic(const instruction& i);
  void narrow_comparison(const instruction& i);
  id sign_extended(id value, unsigned bits);
  id masked(id value, unsigned bits);
  void define_narrow(id result, id value, unsigned bits);

  // convert.cpp
  bool conversion(const instruction& i);
  id as_word(id value, bool is_signed);
  void from_word(id result, id type, id value, bool is_signed);
  void integer_conversion(const instruction& i);
  void float_from_integer(const instruction& i);
  void float_from_pair(id result, id type, pair value, bool is_signed);
  void integer_from_float(const instruction& i);
  pair pair_from_float(id value, unsigned bits, bool is_signed);
  pair pair_from_single(id value);
  pair pair_from_double(id value);
  bool bit_cast(const instruction& i);

  // access.cpp
  bool access(const instruction& i);
  void load(const instruction& i, const location& from);
  void store(const instruction& i, const location& to);
  void load_words(id result, id type, const location& from, const words& how);
  void store_words(const location& to, id value, const words& how);
  void atomic(const instruction& i);
  id low_word(id address);
  id word_pointer(const location& where, unsigned plus, bool coherent);
  id pointer(const location& where, bool coherent);
  id address_pointer(id address, id pointee, bool coherent);
  id bit_shift(const location& where);
  unsigned bytes_of(id type) const;
  words access_operands(std::span<const word> operands, bool through_address, word alignment) const;
  bool goes_through_words(const location& where) const;
  id scope(id value);
  id semantics(id value);

  const std::span<const word> m_in;
  const lacks m_lacks;
  id m_bound = 0;
  std::unordered_map<id, type_info> m_types;
  std::unordered_map<id, id> m_type_of; // value -> type
  std::unordered_map<id, std::uint64_t> m_constants;
  std::unordered_set<id> m_exact;       // results with NoContraction
  std::unordered_map<id, id> m_aliases; // type -> the type that replaces it
  std::unordered_map<id, location> m_locations;
  std::unordered_map<id, pair> m_pairs, m_pairs_here; // of the module, of this block
  std::unordered_map<word, id> m_made_constants;
  std::map<words, id> m_made_globals;
  std::unordered_map<id, id> m_coherent_blocks; // type -> struct with one coherent member of it
  id m_u32 = 0, m_bool = 0, m_pair = 0, m_glsl = 0, m_buffer = 0, m_divide = 0, m_divide_floats = 0,
     m_root = 0;
  id m_arena_length = 0; // the specialisation constant of the work-group arena's length
  bool m_uses_addresses = false, m_has_shared_accesses = false, m_has_begun_globals = false;
  bool m_in_function = false, m_packs_arena = false, m_has_wide_constants = false;
  std::vector<words> m_entries;
  words m_capabilities, m_extensions, m_imports, m_model, m_modes, m_debug, m_annotations, m_globals,
      m_functions, m_helpers;
  words* m_code = &m_functions;
};

} // namespace prism::devices::vulkan::lower
