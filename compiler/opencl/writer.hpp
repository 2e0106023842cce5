// Writes the body of one kernel as OpenCL C statements: one variable for each SSA value, in the order of the
// blocks.
//
// Integers are unsigned variables, which are cast for signed operations. `nsw` arithmetic is written as
// signed arithmetic, so that the driver's compiler receives LLVM's knowledge. i1 is bool; half is a float
// that holds a half's value, except where every use rounds it. Pointers are `uchar*` in their address space,
// and ulong in memory.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/device_ir/pointer_space.hpp"
#include "compiler/device_ir/wide_accesses.hpp"
#include "compiler/opencl/emit.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {

/// A scan of a sub-group, or a reduction that OpenCL C does not have.
struct sub_group_helper {
  std::string form;      // reduce, scan_inclusive, scan_exclusive
  std::string operation; // add, mul, min, max, and, or, xor
  std::string type; // uint, ulong, float, double; int and long for the minimum and maximum of signed ones
  std::string name() const { return "prism_" + form + "_" + operation + "_" + type; }
  static bool is_in_opencl_c(const std::string& operation) {
    return operation == "add" || operation == "min" || operation == "max";
  }
  auto operator<=>(const sub_group_helper&) const = default;
};

class function_writer {
public:
  function_writer(const llvm::Function& kernel, const kernel_facts& facts, const opencl_form& form,
                  bool arguments_by_value, std::string end = "return");

  /// Constants are in global memory, because there are too many bytes of them for the driver's constant
  /// memory.
  bool constants_in_memory() const { return m_constants_in_memory; }
  /// From now on `places` records which elements of global memory are accessed.
  void record_places(const element_places* of) { m_elements = of; }
  /// Drivers that would reorder these accesses get them volatile (item_order.hpp).
  void keep_order_of(const llvm::DenseSet<const llvm::Instruction*>& accesses) { m_ordered = accesses; }
  const pointer_spaces& spaces() const { return m_spaces; }
  const std::vector<image::element_place>& places() const { return m_places; }
  void write();
  std::string declarations() const;
  const std::string& body() const { return m_body; }
  /// The program's source lines for the body's lines, which are counted from 0.
  const image_format::text_places& lines() const { return m_lines; }
  std::uint64_t features() const { return m_features; }
  const std::set<sub_group_helper>& sub_group_helpers() const { return m_sub_group_helpers; }
  bool uses(const std::string& helper) const { return m_helpers.count(helper) != 0; } // of helpers.cpp
  const std::map<std::string, bool>& helpers() const { return m_helpers; }
  const std::vector<const llvm::GlobalVariable*>& constants() const { return m_constants; }
  /// Macros that a build option may define as a value, with their defaults.
  const std::map<std::string, std::string>& replaceable() const { return m_replaceable; }

  std::string space_keyword(pointer_space space) const;

private:
  // values.cpp
  std::string type_name(const llvm::Value& value);
  std::string type_name(llvm::Type* type);
  std::string signed_name(llvm::Type* type);
  std::string pointer_type(pointer_space space) const;
  std::string variable(const llvm::Value* value);
  std::string use(const llvm::Value* value);
  std::string use_as(const llvm::Value* pointer, pointer_space space);
  std::string as_signed(const llvm::Value* value);
  std::string constant(const llvm::Constant& constant);
  std::string number(const llvm::APInt& value);
  std::string global_name(const llvm::GlobalVariable& global);
  void declare(const std::string& type, const std::string& name);
  // narrow_choices.cpp
  void find_narrow_choices();
  std::string use_in_choice(const llvm::Value& choice, const llvm::Value* value);
  void record_type(llvm::Type* type);
  // memory.cpp
  void write_alloca(const llvm::AllocaInst& alloca);
  void write_load(const llvm::LoadInst& load);
  void write_store(const llvm::StoreInst& store);
  void record_place(const llvm::Instruction& access);
  void write_atomic(const llvm::AtomicRMWInst& operation);
  void write_exchange(const llvm::AtomicCmpXchgInst& exchange);
  std::string captured_word(const llvm::LoadInst& load);
  std::string null_of(pointer_space space) const;
  std::string address_number(const llvm::Value* pointer);
  std::string pointer_of(const llvm::Value& pointer, const std::string& number);
  std::string pointer_compare(const llvm::Value* a, const std::string& sign, const llvm::Value* b);
  std::string place(const llvm::Instruction& access, llvm::Type* type);
  std::string atomic_place(const llvm::Value* pointer, llvm::Type* type, bool is_signed);
  std::string typed_element(const llvm::GEPOperator& gep);
  std::string address(const llvm::GEPOperator& gep);
  void fence_before(llvm::AtomicOrdering order);
  void fence_after(llvm::AtomicOrdering order);
  // wide_text.cpp
  void find_wide_accesses();
  bool is_written_wide(const wide_access& wide) const;
  void write_access(const llvm::Instruction& access);
  std::string wide_statement(const wide_access& wide);
  // arithmetic.cpp
  std::string binary(const llvm::BinaryOperator& operation);
  std::string compare(const llvm::CmpInst& compare);
  std::string float_compare(const llvm::FCmpInst& compare);
  std::string conversion(const llvm::CastInst& cast);
  std::string bit_conversion(const llvm::Value& from, llvm::Type* to);
  std::string call(const llvm::CallInst& call);
  std::string sub_group_combination(const llvm::CallInst& call);
  std::string sub_group_call(const llvm::CallInst& call, llvm::StringRef what);
  std::string intrinsic(const llvm::IntrinsicInst& call);
  std::string rounded(const llvm::Instruction& made, const std::string& expression);
  // control.cpp
  void write_instruction(const llvm::Instruction& instruction);
  void record_line(const llvm::Instruction& instruction);
  void order_blocks();
  void write_loop_end(const llvm::BranchInst& branch, const llvm::BasicBlock* next);
  void write_terminator(const llvm::Instruction& terminator, const llvm::BasicBlock* next);
  void write_edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to, const llvm::BasicBlock* next,
                  const char* indent);
  void statement(const std::string& text) {
    m_body += m_is_part ? "  prism_part(" + text + ");\n" : "  " + text + ";\n";
  }
  std::string label(const llvm::BasicBlock& block) const {
    return "b" + std::to_string(m_labels.lookup(&block));
  }

  const llvm::Function& m_kernel;
  const kernel_facts& m_facts;
  const llvm::DataLayout& m_layout;
  pointer_spaces m_spaces;
  bool m_by_value, m_runs_group, m_has_sub_groups, m_constants_in_memory;
  std::string m_end; // the statement that ends a work-item
  std::string m_body;
  image_format::text_places m_lines;
  std::uint32_t m_line = 0; // line of the body's text up to m_counted
  std::size_t m_counted = 0;
  const element_places* m_elements = nullptr;
  std::vector<image::element_place> m_places;
  std::uint64_t m_features = 0;
  std::map<std::string, bool> m_helpers;
  std::set<sub_group_helper> m_sub_group_helpers;
  std::map<std::string, std::string> m_replaceable;
  std::map<std::string, std::vector<std::string>> m_declared; // type -> names
  std::vector<std::string> m_arrays;
  std::vector<const llvm::GlobalVariable*> m_constants;
  llvm::DenseMap<const llvm::Value*, unsigned> m_numbers;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_labels;
  llvm::DenseSet<const llvm::Value*> m_narrow_choices;
  llvm::DenseSet<const llvm::Instruction*> m_ordered;
  std::vector<const llvm::BasicBlock*> m_order;
  wide_accesses m_wide;
  bool m_is_part = false; // the statement is a part of a wide access
  // Loops over work-items. Only do-while can carry the pragma that permits the driver to vectorise.
  llvm::DenseMap<const llvm::BasicBlock*, std::string> m_loop_heads;            // and the pragma for the loop
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> m_loop_ends; // latch -> head
};

/// The macros of vector accesses; `uses`: which helpers a writer used.
std::string wide_helper_text(const std::map<std::string, bool>& uses);
/// The text of the helpers that a writer used; it precedes the kernel.
std::string helper_text(const function_writer& writer);
/// The bytes of a constant global, a multiple of 8.
std::vector<std::uint8_t> constant_bytes(const llvm::GlobalVariable& global, const llvm::DataLayout& layout);
/// A constant global as an array of bytes.
std::string constant_text(const llvm::GlobalVariable& global, const std::string& name,
                          const llvm::DataLayout& layout);

} // namespace prism::compiler
