// Sub-groups: the reserved functions of kernel_abi.hpp as SPIR-V's non-uniform group operations.
//
// Shuffles and ballots are of 32 bits, which every device with sub-groups has; 64-bit values go as two words.
// Reductions and scans by one instruction (compiler/device_ir/sub_group_operation.hpp) are replaced by steps
// of shuffles where the device has none for the type (devices/vulkan/lower/sub_group_steps.hpp). SYCL's
// sub-groups consist of consecutive linear local ids, and only the last one may be smaller. Vulkan lets the
// driver decide how it divides a work-group. Drivers number the work-items of one row in order (llvmpipe
// starts again with each row), so work-groups with sub-groups are launched as one row; calls.cpp computes the
// local id from the number in the row. Work-items of a sub-group execute in lockstep as long as all of them
// branch the same way; structured control flow preserves that.
#include "compiler/device_ir/sub_group_operation.hpp"
#include "compiler/spirv/translator.hpp"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

constexpr unsigned ballot_words = 2; // of four: larger sub-groups than 64 are not used

spv::Op opcode_of(sub_group_operation::kind combine, bool is_float) {
  switch (combine) {
    case sub_group_operation::add: return is_float ? spv::OpGroupNonUniformFAdd : spv::OpGroupNonUniformIAdd;
    case sub_group_operation::multiply:
      return is_float ? spv::OpGroupNonUniformFMul : spv::OpGroupNonUniformIMul;
    case sub_group_operation::minimum:
      return is_float ? spv::OpGroupNonUniformFMin : spv::OpGroupNonUniformSMin;
    case sub_group_operation::maximum:
      return is_float ? spv::OpGroupNonUniformFMax : spv::OpGroupNonUniformSMax;
    case sub_group_operation::unsigned_minimum: return spv::OpGroupNonUniformUMin;
    case sub_group_operation::unsigned_maximum: return spv::OpGroupNonUniformUMax;
    case sub_group_operation::bit_and: return spv::OpGroupNonUniformBitwiseAnd;
    case sub_group_operation::bit_or: return spv::OpGroupNonUniformBitwiseOr;
    case sub_group_operation::bit_xor: break;
  }
  return spv::OpGroupNonUniformBitwiseXor;
}

} // namespace

id translator::sub_group_input(spv::BuiltIn which) {
  const id u32 = int_type(32);
  need(image::sub_groups);
  m_builder.capability(spv::CapabilityGroupNonUniform);
  id& variable = m_sub_group_inputs[which];
  if (variable == 0) {
    variable = m_builder.global_variable(m_builder.type_pointer(spv::StorageClassInput, u32),
                                         spv::StorageClassInput);
    m_builder.decorate(variable, spv::DecorationBuiltIn, {static_cast<word>(which)});
  }
  return emit(spv::OpLoad, u32, {variable});
}

id translator::ballot_word(id ballot, unsigned index) {
  return emit(spv::OpCompositeExtract, int_type(32), {ballot, index});
}

id translator::ballot(id predicate) {
  need(image::sub_groups);
  m_builder.capability(spv::CapabilityGroupNonUniform);
  m_builder.capability(spv::CapabilityGroupNonUniformBallot);
  return emit(spv::OpGroupNonUniformBallot, m_builder.type_vector(int_type(32), 4),
              {number(32, spv::ScopeSubgroup), predicate});
}

/// Not NumSubgroups: llvmpipe omits the one that is not full.
id translator::sub_group_count() {
  const id u32 = int_type(32), size = sub_group_input(spv::BuiltInSubgroupSize);
  const id last = emit(spv::OpISub, u32, {m_flat_size, number(32, 1)});
  return emit(spv::OpIAdd, u32, {emit(spv::OpUDiv, u32, {last, size}), number(32, 1)});
}

/// At the kernel's start all work-items take part. Their number is that of the work-items that this sub-group
/// has.
void translator::count_sub_group() {
  const id all = ballot(number(1, 1));
  id count = 0;
  for (unsigned i = 0; i < ballot_words; ++i) {
    const id ones = emit(spv::OpBitCount, int_type(32), {ballot_word(all, i)});
    count = i == 0 ? ones : emit(spv::OpIAdd, int_type(32), {count, ones});
  }
  m_sub_group_local_size = count;
}

/// Wraps a number that no work-item has, because drivers index registers with it.
id translator::shuffle_lane(id lane) {
  const id last = emit(spv::OpISub, int_type(32), {sub_group_input(spv::BuiltInSubgroupSize), number(32, 1)});
  return emit(spv::OpBitwiseAnd, int_type(32), {lane, last});
}

id translator::shuffle_word(id word_value, id lane) {
  m_builder.capability(spv::CapabilityGroupNonUniformShuffle);
  return emit(spv::OpGroupNonUniformShuffle, int_type(32),
              {number(32, spv::ScopeSubgroup), word_value, lane});
}

id translator::shuffle_wide(id value, id lane) {
  const id u64 = int_type(64), u32 = int_type(32);
  const id low = shuffle_word(emit(spv::OpUConvert, u32, {value}), lane);
  const id high = shuffle_word(emit(spv::OpUConvert, u32, {shift_right(64, value, 32)}), lane);
  const id upper = emit(spv::OpShiftLeftLogical, u64, {emit(spv::OpUConvert, u64, {high}), number(32, 32)});
  return emit(spv::OpBitwiseOr, u64, {emit(spv::OpUConvert, u64, {low}), upper});
}

id translator::ballot_mask(id predicate) {
  const id given = ballot(predicate);
  const id u64 = int_type(64);
  const id low = emit(spv::OpUConvert, u64, {ballot_word(given, 0)});
  const id high = emit(spv::OpUConvert, u64, {ballot_word(given, 1)});
  return emit(spv::OpBitwiseOr, u64, {low, emit(spv::OpShiftLeftLogical, u64, {high, number(32, 32)})});
}

/// A reduction or scan over the sub-group. All its work-items take part.
id translator::sub_group_combination(const CallInst& instruction) {
  const auto how = sub_group_operation::of(instruction);
  if (!how) refuse(&instruction, "a sub-group operation that does not exist");
  need(image::sub_groups);
  m_builder.capability(spv::CapabilityGroupNonUniform);
  m_builder.capability(spv::CapabilityGroupNonUniformArithmetic);
  constexpr spv::GroupOperation forms[] = {spv::GroupOperationReduce, spv::GroupOperationInclusiveScan,
                                           spv::GroupOperationExclusiveScan};
  Type* const type = instruction.getType();
  return emit(opcode_of(how->combine, type->isFloatingPointTy()), type_of(&instruction),
              {number(32, spv::ScopeSubgroup), static_cast<word>(forms[how->form]),
               value(instruction.getArgOperand(1))});
}

bool translator::sub_group_call(const CallInst& instruction, StringRef name) {
  if (!name.consume_front("__prism_sub_group_")) return false;
  const auto argument = [&](unsigned i) { return value(instruction.getArgOperand(i)); };
  if (name == "local_id") define(&instruction, sub_group_input(spv::BuiltInSubgroupLocalInvocationId));
  else if (name == "id") define(&instruction, sub_group_input(spv::BuiltInSubgroupId));
  else if (name == "count") define(&instruction, sub_group_count());
  else if (name == "size") define(&instruction, sub_group_input(spv::BuiltInSubgroupSize));
  else if (name == "local_size") define(&instruction, m_sub_group_local_size);
  else if (name == "shuffle_i32") define(&instruction, shuffle_word(argument(0), shuffle_lane(argument(1))));
  else if (name == "shuffle_i64") define(&instruction, shuffle_wide(argument(0), shuffle_lane(argument(1))));
  else if (name == "ballot") define(&instruction, ballot_mask(argument(0)));
  else if (name.starts_with("combine_")) define(&instruction, sub_group_combination(instruction));
  else if (name == "barrier") sub_group_barrier(instruction);
  else return false;
  return true;
}

void translator::sub_group_barrier(const CallInst& instruction) {
  const auto* fence = dyn_cast<ConstantInt>(instruction.getArgOperand(0));
  if (fence == nullptr) refuse(&instruction, "a sub-group barrier with a fence that is not constant");
  need(image::sub_groups);
  m_builder.capability(spv::CapabilityGroupNonUniform);
  control_barrier(spv::ScopeSubgroup, fence->getZExtValue());
}

} // namespace prism::compiler::spirv
