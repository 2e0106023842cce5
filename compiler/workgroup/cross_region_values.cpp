#include "compiler/workgroup/cross_region_values.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned most_effort = 24; // operations to recompute a value; loading it costs about 4
constexpr unsigned division_effort = 8;
constexpr std::uint32_t widest = 16; // alignment of the first array, so that offsets need no padding

bool is_id_query(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return false;
  for (StringRef known :
       {"__prism_local_id", "__prism_group_id", "__prism_local_size", "__prism_group_count",
        "__prism_local_arena", "__prism_group_scratch", "__prism_sub_group_local_id", "__prism_sub_group_id",
        "__prism_sub_group_count", "__prism_sub_group_size", "__prism_sub_group_local_size",
        "__prism_values_of_items", "__prism_value_of_group", "__prism_value_of_sub_group"})
    if (callee->getName() == known) return true;
  return false;
}

unsigned effort_of(const Instruction& value) {
  switch (value.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FDiv: return division_effort;
    default: return 1;
  }
}

using is_such = function_ref<bool(const Instruction&)>;

/// Adds the effort for values that are neither in `seen` nor at hand; false if one of them may change.
bool add_effort(const Value& value, is_such at_hand, SmallPtrSetImpl<const Value*>& seen, unsigned& effort) {
  if (isa<Constant, Argument>(value) || !seen.insert(&value).second) return true;
  auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction) return false;
  if (at_hand(*instruction)) return true;
  if ((effort += effort_of(*instruction)) > most_effort) return false;
  if (auto* call = dyn_cast<CallInst>(instruction)) {
    if (!isa<IntrinsicInst>(call)) return is_id_query(*call);
    if (!call->doesNotAccessMemory() || !call->willReturn()) return false;
  } else if (auto* load = dyn_cast<LoadInst>(instruction)) {
    if (!load->hasMetadata(LLVMContext::MD_invariant_load)) return false;
  } else if (!isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst>(
                 instruction)) {
    return false;
  }
  return all_of(instruction->operands(), [&](const Use& operand) {
    return isa<Function>(operand.get()) || add_effort(*operand.get(), at_hand, seen, effort);
  });
}

bool can_compute(const Value& value, is_such at_hand) {
  SmallPtrSet<const Value*, 32> seen;
  unsigned effort = 0;
  return add_effort(value, at_hand, seen, effort);
}

/// Whether such an operation is among those that a value is recomputed from.
bool depends_on(const Instruction& value, is_such such) {
  SmallPtrSet<const Value*, 32> seen;
  SmallVector<const Instruction*> work{&value};
  while (!work.empty() && seen.size() < 2 * most_effort) {
    const Instruction* each = work.pop_back_val();
    if (!seen.insert(each).second || isa<PHINode>(each)) continue;
    if (such(*each)) return true;
    for (const Use& operand : each->operands())
      if (auto* instruction = dyn_cast<Instruction>(operand)) work.push_back(instruction);
  }
  return false;
}

/// The single pointer that all of a pointer's values derive from, if it can be recomputed.
Value* base_of(Value* pointer) {
  SmallVector<const Value*> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  if (objects.size() != 1 || isa<AllocaInst>(objects[0]) || isa<Constant>(objects[0])) return nullptr;
  return can_compute_again(*objects[0]) ? const_cast<Value*>(objects[0]) : nullptr;
}

std::uint32_t alignment_of_size(std::uint32_t size) {
  return size == 0 ? widest : std::min(widest, size & (~size + 1));
}

} // namespace

bool can_compute_again(const Value& value) {
  return can_compute(value, [](const Instruction&) { return false; });
}

Type* cross_region_values::stored_type(const Instruction& value, const carried_value& how) {
  if (how.base) return Type::getInt64Ty(value.getContext());
  if (!value.getType()->isIntegerTy()) return value.getType();
  // No memory has the widths that LLVM gives an integer of few bits: i1, i2, i33.
  const unsigned bits = value.getType()->getIntegerBitWidth();
  return Type::getIntNTy(value.getContext(), std::max(8u, unsigned(PowerOf2Ceil(bits))));
}

context_array cross_region_values::add_array(std::uint32_t size) {
  const std::uint32_t alignment = alignment_of_size(size);
  m_bytes = (m_bytes + alignment - 1) / alignment * alignment;
  const context_array array{m_bytes, size};
  m_bytes += size;
  return array;
}

/// Whether the value can be recomputed from shared values that live across the same synchronization points.
/// Those are unchanged there: their blocks dominate the value's own, so none executes again while the value
/// lives.
bool cross_region_values::can_compute_from_shared(Instruction& value, const region_map& regions,
                                                  unsigned point_count) const {
  return can_compute(value, [&](const Instruction& part) {
    if (!is_shared(part)) return false;
    for (unsigned i = 1; i < point_count; ++i)
      if (regions.live_at(i).contains(&value) &&
          !regions.live_at(i).contains(const_cast<Instruction*>(&part)))
        return false;
    return true;
  });
}

cross_region_values::cross_region_values(Function& kernel, const region_map& regions,
                                         const std::vector<sync_point>& points, const uniform_values& uniform,
                                         bool by_sub_group) {
  const auto point_count = static_cast<unsigned>(points.size());
  const auto meets_other_sub_groups = [&](Instruction* value) {
    for (unsigned i = 1; i < point_count; ++i)
      if (!points[i].of_sub_group() && regions.live_at(i).contains(value)) return true;
    return false;
  };
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  SetVector<Instruction*> live, arrays;
  for (unsigned i = 1; i < point_count; ++i) {
    live.insert(regions.live_at(i).begin(), regions.live_at(i).end());
    arrays.insert(regions.arrays_at(i).begin(), regions.arrays_at(i).end());
  }
  // Processors have no vectors of integer divisions. Without sub-groups they make rows (row_strips.hpp).
  const auto divides = [&](const Instruction& value) {
    return by_sub_group && value.isIntDivRem() && !isa<Constant>(value.getOperand(1)) &&
           !uniform.is_uniform(value);
  };
  for (Instruction* value : live) {
    carried_value& mine = m_values[value];
    if (can_compute_again(*value) && !depends_on(*value, divides)) mine.how = carried::again;
    else if (uniform.is_uniform(*value)) mine.how = carried::once;
  }
  for (auto& [value, mine] : m_values)
    if (mine.how == carried::each && !depends_on(*value, divides) &&
        can_compute_from_shared(*value, regions, point_count))
      mine.how = carried::again;
  struct wanted {
    Instruction* value;
    std::uint32_t size, alignment;
  };
  SmallVector<wanted> wanted_arrays;
  for (Instruction* value : live) {
    carried_value& mine = m_values[value];
    if (mine.how == carried::again) continue;
    if (value->getType()->isPointerTy()) mine.base = base_of(value);
    const std::uint32_t size = layout.getTypeStoreSize(stored_type(*value, mine));
    if (mine.how == carried::each || (by_sub_group && meets_other_sub_groups(value)))
      wanted_arrays.push_back({value, size, alignment_of_size(size)});
  }
  for (Instruction* array : arrays) {
    auto* alloca = cast<AllocaInst>(array);
    const std::uint32_t alignment = std::max<std::uint32_t>(alloca->getAlign().value(), 1);
    const std::uint32_t bytes = alloca->getAllocationSize(layout).value_or(TypeSize::getFixed(1));
    wanted_arrays.push_back({array, (bytes + alignment - 1) / alignment * alignment, alignment});
  }
  // Sorted by alignment, widest first: then no array needs padding, for any number of work-items.
  stable_sort(wanted_arrays, [](const wanted& a, const wanted& b) { return a.alignment > b.alignment; });
  for (const wanted& each : wanted_arrays) {
    const context_array array = add_array(each.size);
    if (isa<AllocaInst>(each.value)) m_arrays[each.value] = array;
    else m_values[each.value].array = array;
  }
}

bool mostly_stores_values(const Function& kernel, const std::vector<sync_point>& points,
                          const region_map& regions, const cross_region_values& values) {
  // A value is stored before a barrier and loaded after it. Kernels with fewer values build fast in any form.
  constexpr std::size_t many = 256, instructions_for_one = 8;
  std::size_t stored = 0;
  for (unsigned i = 0; i < points.size(); ++i) {
    if (points[i].kind != (i == 0 ? sync_kind::entry : sync_kind::barrier)) return false;
    const auto& exits = regions.of(i).exits;
    if (exits.size() != 1 || exits[0] <= i) return false;
    stored += static_cast<std::size_t>(count_if(regions.live_at(i), [&](const Instruction* value) {
      return i > 0 && values.of(value).how == carried::each;
    }));
  }
  return stored >= many && stored * instructions_for_one > kernel.getInstructionCount();
}

} // namespace prism::compiler
