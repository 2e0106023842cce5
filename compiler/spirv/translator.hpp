// Translates one structured kernel, instruction by instruction. This class has the state that the emitter's
// files share: values.cpp (types, constants, operands), memory.cpp, atomics.cpp, arithmetic.cpp, calls.cpp,
// sub_groups.cpp, flow.cpp.
//
// Representation: i1 is bool, other integers have no signedness, a pointer is the number that its family
// defines (64-bit address or 32-bit offset). Every function throws `refused` for a construct that it cannot
// express.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/device_ir/contract.hpp"
#include "compiler/device_ir/element_wise.hpp"
#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/device_ir/structured.hpp"
#include "compiler/spirv/builder.hpp"
#include "compiler/spirv/element_indices.hpp"
#include "compiler/spirv/families.hpp"
#include "compiler/spirv/refused.hpp"
#include "compiler/device_ir/wide_accesses.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler::spirv {

class translator {
public:
  translator(const llvm::Function& kernel, const structured_flow& flow, const kernel_facts& facts);

  /// From now on `places` records which elements are accessed.
  void record_places(const element_places* of) { m_elements = of; }
  std::vector<word> run();
  /// The accesses in the module that run() made.
  std::vector<image::element_place> places(const std::vector<word>& module) const;
  std::uint64_t features() const { return m_features; }
  std::uint32_t local_element_bytes() const;

private:
  struct block {
    id label = 0;
    id last_label = 0; // of the SPIR-V block that ends with the LLVM block's terminator
    std::vector<std::pair<const llvm::PHINode*, id>> phis;
    stream code;
  };

  // values.cpp
  void need(image::feature feature) { m_features |= feature; }
  id int_type(unsigned bits);
  id float_type(unsigned bits);
  id type_of(const llvm::Value* value); // as an SSA value
  id scalar_type(llvm::Type* type, const llvm::Instruction* at);
  id pointer_type(const family& where); // the integer type that represents such a pointer
  id value(const llvm::Value* value);
  id pointer(const llvm::Value* pointer, const family& where);
  id constant(const llvm::Constant* constant);
  id number(unsigned bits, std::uint64_t pattern);
  std::optional<std::uint64_t> known(id number) const;
  void define(const llvm::Value* value, id result) { m_values[value] = result; }
  id emit(spv::Op opcode, id type, std::initializer_list<word> operands);
  id glsl(word function, id type, std::initializer_list<word> operands);
  id add(unsigned bits, id a, id b); // these three fold constants
  id multiply(unsigned bits, id a, std::uint64_t factor);
  id shift_right(unsigned bits, id a, unsigned amount);
  id resize(id value, unsigned from, unsigned to, bool is_signed);

  // memory.cpp
  struct access {
    std::uint64_t align = 1;
    bool is_volatile = false;
    bool invariant = false;
    unsigned piece = 0; // the offset of a piece in the access
  };
  void declare_arrays();
  void write_data();
  id data_address(const family& where, const llvm::Value* from);
  id arena_initializer(const family& where, id array_type);
  id element_type(const family& where);
  id element_pointer(const family& where, id index);
  id global_pointer(id type, id address);
  id device_address(id address);
  id load(const llvm::Value* from, llvm::Type* type, const access& how, const llvm::Instruction& at);
  void store(const llvm::Value* to, const llvm::Value* what, const access& how, const llvm::Instruction& at);
  bool contributes_to_group_addresses(const llvm::Value& number, unsigned depth) const;
  id replaceable(const llvm::LoadInst& load, id loaded);
  id load_piece(const family& where, id position, unsigned bytes, const access& how);
  void store_piece(const family& where, id position, id what, unsigned bytes, const access& how);
  id wide_type(const wide_access& merged);
  id wide_pointer(const wide_access& merged);
  word wide_mask() const;
  void load_wide(const wide_access& merged);
  void store_wide(const wide_access& merged);
  id load_part_of_word(const family& where, id position, unsigned bytes, const access& how);
  void store_part_of_word(const family& where, id position, id what, unsigned bytes);
  id register_from_bits(id bits, llvm::Type* type, const llvm::Value* typed);
  id bits_from_register(id value, llvm::Type* type, const llvm::Value* typed);
  id address_offset(const llvm::GEPOperator& address, unsigned bits, std::uint64_t unit);
  id offset_in(const family& where, const llvm::Value* address);
  id element_index(const family& where, const llvm::Value* address);
  void record_element_index(const llvm::Instruction& instruction);
  void record_place(const llvm::Instruction& at, bool global, bool captured);
  id pointer_to_piece(id pointer, unsigned piece);
  void get_element_pointer(const llvm::GetElementPtrInst& instruction);

  // atomics.cpp
  id atomic_pointer(const llvm::Value* address, unsigned bits, const llvm::Instruction& at);
  id atomic_scope();
  id semantics(llvm::AtomicOrdering order, bool reads, bool writes);
  id semantics_of(word order_bits, word storage_bits);
  void atomic_load(const llvm::LoadInst& instruction);
  void atomic_store(const llvm::StoreInst& instruction);
  void atomic_rmw(const llvm::AtomicRMWInst& instruction);
  void add_floats(const llvm::AtomicRMWInst& instruction);
  void compare_exchange(const llvm::AtomicCmpXchgInst& instruction);
  void take_turn();
  void control_barrier(spv::Scope scope, std::uint64_t fence);
  void fence(std::uint64_t order, std::uint64_t scope, const llvm::Instruction& at);

  // arithmetic.cpp
  void binary(const llvm::BinaryOperator& instruction);
  bool copies_sign(const llvm::BinaryOperator& instruction);
  id binary_bool(const llvm::BinaryOperator& instruction, id a, id b);
  void compare_integers(const llvm::ICmpInst& instruction);
  id compare_bools(llvm::CmpInst::Predicate predicate, id a, id b, const llvm::Instruction& at);
  void compare_floats(const llvm::FCmpInst& instruction);
  void convert(const llvm::CastInst& instruction);
  id sign_extended(id source);
  void exact(id result, const llvm::Instruction& instruction);

  // calls.cpp
  void call(const llvm::CallInst& instruction);
  id dot_product(const llvm::CallInst& instruction, llvm::StringRef name);
  bool reserved_call(const llvm::CallInst& instruction, llvm::StringRef name);
  void call_element(const llvm::CallInst& instruction, std::uint64_t part);
  bool native_call(const llvm::CallInst& instruction, llvm::StringRef name);
  bool math_call(const llvm::CallInst& instruction, llvm::StringRef name);
  id whole_part_of_double(id bits, id exponent);
  id rounded_double(id x, bool to_nearest);
  id dimension_value(const llvm::CallInst& instruction, id (translator::*query)(unsigned));
  id local_id(unsigned dimension);
  id group_id(unsigned dimension);
  id local_size(unsigned dimension);
  id group_count(unsigned dimension);
  id is_present();
  id leaves_lanes();
  id unseen_zero();
  id fixed_order();
  id built_in(id& variable, spv::BuiltIn which, unsigned dimension);
  id push_constant(unsigned member, id type);

  // sub_groups.cpp
  bool sub_group_call(const llvm::CallInst& instruction, llvm::StringRef name);
  id sub_group_input(spv::BuiltIn which);
  id ballot(id predicate);
  id ballot_word(id ballot, unsigned index);
  id ballot_mask(id predicate);
  id sub_group_count();
  void count_sub_group();
  id shuffle_lane(id lane);
  id shuffle_word(id word_value, id lane);
  id shuffle_wide(id value, id lane);
  id sub_group_combination(const llvm::CallInst& instruction);
  void sub_group_barrier(const llvm::CallInst& instruction);

  // matrices.cpp
  struct matrix_element {
    id variable, place;
  };
  struct matrix_memory {
    id place, by_columns, stride;
    std::vector<word> access;
  };
  void find_matrices();
  id matrix_component(const matrix_kind& kind);
  id matrix_type(const matrix_kind& kind);
  id matrix(const llvm::Value* value, const matrix_kind& kind);
  id component_of_bits(id bits, const matrix_kind& kind);
  matrix_memory memory_of_matrix(const llvm::CallInst& call, const matrix_kind& kind, unsigned address,
                                 unsigned layout);
  matrix_element element_of_matrix(const llvm::CallInst& call, const matrix_kind& kind);
  id multiply_matrices(const llvm::CallInst& call);
  id convert_matrix(const llvm::CallInst& call);
  bool matrix_function_call(const llvm::CallInst& call, llvm::StringRef name);

  // flow.cpp
  void scan();
  void translate(const llvm::BasicBlock& source);
  void instruction(const llvm::Instruction& instruction);
  void terminator(const llvm::Instruction& instruction);
  void declare_execution();
  stream assemble();

  const llvm::Function& m_kernel;
  const structured_flow& m_flow;
  const kernel_facts& m_facts;
  const llvm::DataLayout& m_layout;
  families m_families;
  element_indices m_element_indices;
  wide_accesses m_wide_accesses;
  builder m_builder;
  std::uint64_t m_features = 0;
  bool m_shares = false;     // barriers, fences or atomics: accesses are not private to the invocation
  bool m_orders_all = false; // memory_order::seq_cst
  bool m_has_sub_groups = false;
  bool m_counts_sub_group = false;
  unsigned m_float_widths = 0; // 16 | 32 | 64: those that are used
  llvm::DenseMap<const llvm::Value*, id> m_values;
  llvm::DenseMap<const llvm::Value*, id> m_indices;   // pointer -> index of its element
  llvm::DenseMap<const llvm::Value*, id> m_exchanged; // cmpxchg -> success
  llvm::DenseMap<const llvm::Value*, matrix_kind> m_matrices;
  std::unordered_map<id, std::uint64_t> m_known;
  std::unordered_map<const wide_access*, id> m_moved; // loads that are only stored -> the vector
  const element_places* m_elements = nullptr;
  image::element_place m_accessed; // the element that the load or store being written uses
  std::unordered_map<id, image::element_place> m_places; // pointer -> the element that it was made for
  llvm::DenseMap<const llvm::BasicBlock*, block> m_blocks;
  std::unordered_map<const family*, id> m_arrays;
  std::map<std::string, id> m_element_functions;
  stream m_functions; // after the kernel
  stream m_variables;
  stream m_prologue; // after the variables of the entry block
  stream* m_code = nullptr;
  block* m_block = nullptr;
  id m_push_constants = 0;
  id m_data = 0; // address of the module's data
  struct {
    id enabled = 0, base = 0, bytes = 0, delta = 0;
  } m_window; // image::push_constants
  id m_local_id = 0;
  id m_group_id = 0;
  id m_sizes[3] = {0, 0, 0};
  id m_flat_size = 0; // size of the single row of a work-group with sub-groups
  id m_sub_group_local_size = 0;
  id m_leaves_lanes = 0;
  id m_specialised = 0;
  id m_fixed_order = 0;
  std::unordered_map<word, std::pair<id, id>>
      m_replaceable; // number of the constant -> whether it is replaced, its value
  std::unordered_map<word, id> m_sub_group_inputs; // built-in -> variable
};

} // namespace prism::compiler::spirv
