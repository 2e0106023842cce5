// Matrices that a sub-group holds: the functions __prism_matrix_* as cooperative matrices.
//
// In LLVM such a matrix is a number of 64 bits, which only these functions and phis use; here the number has
// the matrix's type. A dynamic element is reached through a variable, because OpCompositeExtract has constant
// indices only.
#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/spirv/cooperative_matrix.hpp"
#include "compiler/spirv/translator.hpp"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

StringRef matrix_function(const Value* value) {
  const auto* call = dyn_cast<CallInst>(value);
  const Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  StringRef name = callee == nullptr ? "" : callee->getName();
  return name.consume_front(matrix_call) ? name : "";
}

matrix_kind kind_argument(const CallInst& call, unsigned index) {
  const auto* number = dyn_cast<ConstantInt>(call.getArgOperand(index));
  const auto kind = number == nullptr ? std::nullopt : matrix_kind::of(number->getZExtValue());
  if (!kind) refuse(&call, "a matrix whose type is not a constant");
  return *kind;
}

/// The matrix that a function returns.
std::optional<matrix_kind> result_of(const CallInst& call) {
  const StringRef name = matrix_function(&call);
  if (name == "load" || name == "fill" || name == "mad") return kind_argument(call, 0);
  if (name == "with_element") return kind_argument(call, 1);
  if (name == "convert") return kind_argument(call, 2);
  return std::nullopt;
}

} // namespace

/// Finds the values that are matrices. Refuses uses that a cooperative matrix cannot have.
void translator::find_matrices() {
  std::vector<const Value*> found;
  const auto record = [&](const Value* value, const matrix_kind& kind) {
    const auto [known, is_new] = m_matrices.try_emplace(value, kind);
    if (is_new) found.push_back(value);
    else if (known->second != kind)
      refuse(dyn_cast<Instruction>(value), "a value that is one of two types of matrices");
  };
  for (const Instruction& at : instructions(m_kernel))
    if (const auto* call = dyn_cast<CallInst>(&at))
      if (const auto kind = result_of(*call)) record(call, *kind);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const User* user : found[i]->users()) {
      if (isa<PHINode>(user) || isa<FreezeInst>(user)) record(user, m_matrices.at(found[i]));
      else if (matrix_function(user).empty())
        refuse(dyn_cast<Instruction>(user),
               "a joint_matrix in memory or under a condition (use it in loops that are unrolled, and not in "
               "arrays with variable indices)");
    }
}

id translator::matrix_component(const matrix_kind& kind) {
  if (kind.component == matrix_kind::bfloat16) return m_builder.type_bfloat16();
  if (kind.is_float()) return float_type(kind.bits());
  return int_type(kind.bits());
}

id translator::matrix_type(const matrix_kind& kind) {
  need(image::sub_groups);
  need(image::cooperative_matrix);
  m_builder.capability(khr::capability_cooperative_matrix);
  m_builder.extension(khr::cooperative_matrix_extension);
  if (kind.component == matrix_kind::bfloat16)
    m_builder.capability(khr::capability_bfloat16_cooperative_matrix);
  return m_builder.type_cooperative_matrix(matrix_component(kind), number(32, spv::ScopeSubgroup),
                                           number(32, kind.rows), number(32, kind.columns),
                                           number(32, kind.use));
}

/// The matrix of a value; what was never written is 0.
id translator::matrix(const Value* value, const matrix_kind& kind) {
  const auto known = m_matrices.find(value);
  if (known != m_matrices.end()) {
    if (known->second != kind) throw refused{"a matrix of another type than the function's"};
    return this->value(value);
  }
  if (!isa<Constant>(value)) throw refused{"a matrix that no function made"};
  return m_builder.constant_composite(matrix_type(kind), {m_builder.constant_null(matrix_component(kind))});
}

id translator::component_of_bits(id bits, const matrix_kind& kind) {
  const id narrow = resize(bits, 64, kind.bits(), false);
  return kind.is_float() ? emit(spv::OpBitcast, matrix_component(kind), {narrow}) : narrow;
}

/// The first element in memory, and what OpCooperativeMatrixLoadKHR and StoreKHR say of it. `stride` has 64
/// bits and counts elements of the matrix; SPIR-V counts those of the array in memory.
translator::matrix_memory translator::memory_of_matrix(const CallInst& call, const matrix_kind& kind,
                                                       unsigned address, unsigned layout) {
  const auto* order = dyn_cast<ConstantInt>(call.getArgOperand(layout));
  if (order == nullptr || order->getZExtValue() > 1)
    refuse(&call, "a layout of a matrix that is not constant");
  const id by_columns = number(32, order->getZExtValue()); // 0 rows, 1 columns
  id stride = emit(spv::OpUConvert, int_type(32), {value(call.getArgOperand(address + 1))});
  const Value* from = call.getArgOperand(address);
  const family& where = m_families.of(from);
  const word is_shared = spv::MemoryAccessNonPrivatePointerMask;
  const word bytes = kind.bits() / 8;
  if (where.space == memory_space::global || where.space == memory_space::data) {
    if (bytes == 1) m_builder.capability(spv::CapabilityStorageBuffer8BitAccess);
    if (bytes == 2) m_builder.capability(spv::CapabilityStorageBuffer16BitAccess);
    const id at =
        where.space == memory_space::data ? data_address(where, from) : device_address(pointer(from, where));
    return {global_pointer(matrix_component(kind), at),
            by_columns,
            stride,
            {is_shared | spv::MemoryAccessAlignedMask, bytes}};
  }
  if (where.space != memory_space::workgroup) refuse(&call, "a joint_matrix in private memory");
  const std::uint64_t row = std::uint64_t{order->isZero() ? kind.columns : kind.rows} * bytes;
  const std::uint64_t align = std::min<std::uint64_t>(row & (~row + 1), 16); // matrix_unit.hpp checks it
  if (align < where.element_bytes)
    refuse(&call, "a joint_matrix with short rows in work-group memory of larger elements");
  if (where.element_bytes < bytes)
    stride = emit(spv::OpIMul, int_type(32), {stride, number(32, bytes / where.element_bytes)});
  else if (where.element_bytes > bytes)
    stride = emit(spv::OpUDiv, int_type(32), {stride, number(32, where.element_bytes / bytes)});
  return {element_pointer(where, element_index(where, from)), by_columns, stride, {is_shared}};
}

/// A variable with the matrix, and a pointer to one of its elements.
translator::matrix_element translator::element_of_matrix(const CallInst& call, const matrix_kind& kind) {
  const id type = matrix_type(kind);
  const id variable = m_builder.fresh();
  m_variables.op(spv::OpVariable, {m_builder.type_pointer(spv::StorageClassFunction, type), variable,
                                   static_cast<word>(spv::StorageClassFunction)});
  m_code->op(spv::OpStore, {variable, matrix(call.getArgOperand(0), kind)});
  const id place =
      emit(spv::OpAccessChain, m_builder.type_pointer(spv::StorageClassFunction, matrix_component(kind)),
           {variable, value(call.getArgOperand(2))});
  return {variable, place};
}

/// result, a, b, c: the types and the values of the call's arguments 0 to 3 and 4 to 6.
id translator::multiply_matrices(const CallInst& call) {
  const matrix_kind result = kind_argument(call, 0), a = kind_argument(call, 1), b = kind_argument(call, 2),
                    c = kind_argument(call, 3);
  if (a.use != matrix_kind::a || b.use != matrix_kind::b || c.use != matrix_kind::accumulator ||
      result.use != matrix_kind::accumulator || a.columns != b.rows || a.rows != c.rows ||
      b.columns != c.columns || c.rows != result.rows || c.columns != result.columns)
    refuse(&call, "a product of matrices whose sizes or uses do not fit");
  word flags = 0;
  if (a.is_signed()) flags |= khr::a_is_signed;
  if (b.is_signed()) flags |= khr::b_is_signed;
  // Devices add products of unsigned numbers to unsigned ones, which are the same bits.
  const bool has_sign = a.is_signed() || b.is_signed();
  if (has_sign && c.is_signed()) flags |= khr::c_is_signed;
  if (has_sign && result.is_signed()) flags |= khr::result_is_signed;
  const id x = matrix(call.getArgOperand(4), a), y = matrix(call.getArgOperand(5), b),
           z = matrix(call.getArgOperand(6), c), type = matrix_type(result);
  if (flags == 0) return emit(khr::op_cooperative_matrix_mul_add, type, {x, y, z});
  return emit(khr::op_cooperative_matrix_mul_add, type, {x, y, z, flags});
}

/// Matrices of one size and use; integers from signed to wider.
id translator::convert_matrix(const CallInst& call) {
  const matrix_kind from = kind_argument(call, 1), to = kind_argument(call, 2);
  matrix_kind same = from;
  same.component = to.component;
  if (same != to) refuse(&call, "a copy of a matrix to another size or use");
  const id source = matrix(call.getArgOperand(0), from);
  if (from == to) return source;
  const spv::Op code = from.is_float() && to.is_float() ? spv::OpFConvert
                       : from.is_float()  ? (to.is_signed() ? spv::OpConvertFToS : spv::OpConvertFToU)
                       : to.is_float()    ? (from.is_signed() ? spv::OpConvertSToF : spv::OpConvertUToF)
                       : from.is_signed() ? spv::OpSConvert
                                          : spv::OpUConvert;
  if (from.bits() == to.bits() && !from.is_float() && !to.is_float()) return source;
  return emit(code, matrix_type(to), {source});
}

bool translator::matrix_function_call(const CallInst& call, StringRef name) {
  if (!name.consume_front(matrix_call)) return false;
  if (name == "load") { // kind, from, stride, layout
    const matrix_kind kind = kind_argument(call, 0);
    const matrix_memory from = memory_of_matrix(call, kind, 1, 3);
    std::vector<word> operands{matrix_type(kind), m_builder.fresh(), from.place, from.by_columns,
                               from.stride};
    operands.insert(operands.end(), from.access.begin(), from.access.end());
    m_code->op(khr::op_cooperative_matrix_load, operands);
    define(&call, operands[1]);
  } else if (name == "store") { // matrix, kind, to, stride, layout
    const matrix_kind kind = kind_argument(call, 1);
    const matrix_memory to = memory_of_matrix(call, kind, 2, 4);
    std::vector<word> operands{to.place, matrix(call.getArgOperand(0), kind), to.by_columns, to.stride};
    operands.insert(operands.end(), to.access.begin(), to.access.end());
    m_code->op(khr::op_cooperative_matrix_store, operands);
  } else if (name == "fill") { // kind, bits
    const matrix_kind kind = kind_argument(call, 0);
    const id all = component_of_bits(value(call.getArgOperand(1)), kind);
    define(&call, emit(spv::OpCompositeConstruct, matrix_type(kind), {all}));
  } else if (name == "mad") define(&call, multiply_matrices(call));
  else if (name == "convert") define(&call, convert_matrix(call)); // matrix, from, to
  else if (name == "length")
    define(&call,
           emit(khr::op_cooperative_matrix_length, int_type(32), {matrix_type(kind_argument(call, 0))}));
  else if (name == "element") { // matrix, kind, index
    const matrix_kind kind = kind_argument(call, 1);
    const id element = emit(spv::OpLoad, matrix_component(kind), {element_of_matrix(call, kind).place});
    const id bits = kind.is_float() ? emit(spv::OpBitcast, int_type(kind.bits()), {element}) : element;
    define(&call, resize(bits, kind.bits(), 64, false));
  } else if (name == "with_element") { // matrix, kind, index, bits
    const matrix_kind kind = kind_argument(call, 1);
    const matrix_element at = element_of_matrix(call, kind);
    m_code->op(spv::OpStore, {at.place, component_of_bits(value(call.getArgOperand(3)), kind)});
    define(&call, emit(spv::OpLoad, matrix_type(kind), {at.variable}));
  } else return false;
  return true;
}

} // namespace prism::compiler::spirv
