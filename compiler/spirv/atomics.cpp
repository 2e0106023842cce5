// Atomics, fences and barriers in the Vulkan memory model.
//
// A release makes this invocation's writes available, an acquire makes others' writes visible. Both cover
// work-group and global memory. The scope is the queue family, which all kernels of a device run on. Device
// scope is an optional feature, and lavapipe 22.3 treats fences of device and work-group scope as execution
// barriers (observed: lost updates if not all work-items of a group reach one). Only the barrier itself has
// work-group scope.
//
// The model has no sequential consistency. memory_order::seq_cst is built from other operations: one word per
// device (image::push_constants::order), to which every such operation adds with acquire and release.
// Additions to one word have one order. Each reads what the previous one wrote, so it synchronises with it:
// everything before an addition happens before everything after a later one. A fence is one addition. An
// atomic access is between two additions: a cycle in the single total order that the standard requires would
// also be a cycle of additions (docs/memory-order.md).
#include "compiler/spirv/translator.hpp"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

constexpr word all_memory =
    word{spv::MemorySemanticsUniformMemoryMask} | word{spv::MemorySemanticsWorkgroupMemoryMask};

} // namespace

id translator::atomic_scope() { return number(32, spv::ScopeQueueFamily); }

id translator::semantics_of(word order_bits, word storage_bits) {
  if (order_bits == 0) return number(32, 0);
  word bits = order_bits | storage_bits;
  if (order_bits != spv::MemorySemanticsAcquireMask) bits |= spv::MemorySemanticsMakeAvailableMask;
  if (order_bits != spv::MemorySemanticsReleaseMask) bits |= spv::MemorySemanticsMakeVisibleMask;
  return number(32, bits);
}

id translator::semantics(AtomicOrdering order, bool reads, bool writes) {
  switch (order) {
    case AtomicOrdering::NotAtomic:
    case AtomicOrdering::Unordered:
    case AtomicOrdering::Monotonic: return semantics_of(0, 0);
    case AtomicOrdering::Acquire: return semantics_of(spv::MemorySemanticsAcquireMask, all_memory);
    case AtomicOrdering::Release: return semantics_of(spv::MemorySemanticsReleaseMask, all_memory);
    case AtomicOrdering::AcquireRelease:
      return semantics_of(spv::MemorySemanticsAcquireReleaseMask, all_memory);
    case AtomicOrdering::SequentiallyConsistent: break;
  }
  const word order_bits = !writes  ? word{spv::MemorySemanticsAcquireMask}
                          : !reads ? word{spv::MemorySemanticsReleaseMask}
                                   : word{spv::MemorySemanticsAcquireReleaseMask};
  return semantics_of(order_bits, all_memory);
}

/// Takes a position in the single order of all sequentially consistent operations of the device.
void translator::take_turn() {
  const id word_of_all = global_pointer(int_type(32), push_constant(11, int_type(64)));
  const id order = semantics_of(spv::MemorySemanticsAcquireReleaseMask, all_memory);
  emit(spv::OpAtomicIAdd, int_type(32), {word_of_all, atomic_scope(), order, number(32, 1)});
}

id translator::atomic_pointer(const Value* address, unsigned bits, const Instruction& at) {
  if (bits != 32 && bits != 64) refuse(&at, "an atomic operation on " + std::to_string(bits) + " bits");
  const family& where = m_families.of(address);
  if (bits == 64) {
    need(image::int64_atomics);
    m_builder.capability(spv::CapabilityInt64Atomics);
  }
  if (where.space == memory_space::global)
    return global_pointer(int_type(bits), device_address(pointer(address, where)));
  if (where.element_bytes * 8 != bits) refuse(&at, "an atomic operation on an array of other elements");
  return element_pointer(where, element_index(where, address));
}

void translator::atomic_load(const LoadInst& instruction) {
  const Value* from = instruction.getPointerOperand();
  Type* type = instruction.getType();
  const access how{instruction.getAlign().value(), instruction.isVolatile(), false};
  if (m_families.is_nowhere(from) || m_families.of(from).space == memory_space::arena ||
      m_families.of(from).space == memory_space::data)
    return define(&instruction, load(from, type, how, instruction));
  const unsigned bits = static_cast<unsigned>(m_layout.getTypeStoreSizeInBits(type));
  const bool in_turn = instruction.getOrdering() == AtomicOrdering::SequentiallyConsistent;
  const id order = semantics(instruction.getOrdering(), true, false);
  if (in_turn) take_turn();
  const id read = emit(spv::OpAtomicLoad, int_type(bits),
                       {atomic_pointer(from, bits, instruction), atomic_scope(), order});
  if (in_turn) take_turn();
  define(&instruction, register_from_bits(read, type, &instruction));
}

void translator::atomic_store(const StoreInst& instruction) {
  const Value *to = instruction.getPointerOperand(), *what = instruction.getValueOperand();
  const access how{instruction.getAlign().value(), instruction.isVolatile(), false};
  if (m_families.is_nowhere(to) || m_families.of(to).space == memory_space::arena)
    return store(to, what, how, instruction);
  const unsigned bits = static_cast<unsigned>(m_layout.getTypeStoreSizeInBits(what->getType()));
  const bool in_turn = instruction.getOrdering() == AtomicOrdering::SequentiallyConsistent;
  const id order = semantics(instruction.getOrdering(), false, true);
  const id written = bits_from_register(value(what), what->getType(), what);
  if (in_turn) take_turn();
  m_code->op(spv::OpAtomicStore, {atomic_pointer(to, bits, instruction), atomic_scope(), order, written});
  if (in_turn) take_turn();
}

void translator::atomic_rmw(const AtomicRMWInst& instruction) {
  Type* type = instruction.getType();
  const Value* address = instruction.getPointerOperand();
  if (m_families.is_nowhere(address)) return define(&instruction, constant(Constant::getNullValue(type)));
  if (m_families.of(address).space == memory_space::arena)
    refuse(&instruction, "an atomic operation on private memory");
  if (instruction.getOperation() == AtomicRMWInst::FAdd) return add_floats(instruction);
  spv::Op opcode = spv::OpNop;
  switch (instruction.getOperation()) {
    case AtomicRMWInst::Xchg: opcode = spv::OpAtomicExchange; break;
    case AtomicRMWInst::Add: opcode = spv::OpAtomicIAdd; break;
    case AtomicRMWInst::Sub: opcode = spv::OpAtomicISub; break;
    case AtomicRMWInst::And: opcode = spv::OpAtomicAnd; break;
    case AtomicRMWInst::Or: opcode = spv::OpAtomicOr; break;
    case AtomicRMWInst::Xor: opcode = spv::OpAtomicXor; break;
    case AtomicRMWInst::Max: opcode = spv::OpAtomicSMax; break;
    case AtomicRMWInst::Min: opcode = spv::OpAtomicSMin; break;
    case AtomicRMWInst::UMax: opcode = spv::OpAtomicUMax; break;
    case AtomicRMWInst::UMin: opcode = spv::OpAtomicUMin; break;
    default:
      refuse(&instruction,
             "the atomic operation " + AtomicRMWInst::getOperationName(instruction.getOperation()).str());
  }
  const unsigned bits = static_cast<unsigned>(m_layout.getTypeStoreSizeInBits(type));
  const Value* operand = instruction.getValOperand();
  const id given = bits_from_register(value(operand), type, operand);
  const bool in_turn = instruction.getOrdering() == AtomicOrdering::SequentiallyConsistent;
  const id order = semantics(instruction.getOrdering(), true, true);
  if (in_turn) take_turn();
  const id old = emit(opcode, int_type(bits),
                      {atomic_pointer(address, bits, instruction), atomic_scope(), order, given});
  if (in_turn) take_turn();
  define(&instruction, register_from_bits(old, type, &instruction));
}

/// Of 32 bits in global memory: simplify leaves no others.
void translator::add_floats(const AtomicRMWInst& instruction) {
  need(image::float_atomic_add);
  m_builder.capability(spv::CapabilityAtomicFloat32AddEXT);
  m_builder.extension("SPV_EXT_shader_atomic_float_add");
  const Value* address = instruction.getPointerOperand();
  const id type = type_of(&instruction), added = value(instruction.getValOperand());
  const bool in_turn = instruction.getOrdering() == AtomicOrdering::SequentiallyConsistent;
  const id order = semantics(instruction.getOrdering(), true, true);
  if (in_turn) take_turn();
  const id place = global_pointer(type, device_address(pointer(address, m_families.of(address))));
  define(&instruction, emit(spv::OpAtomicFAddEXT, type, {place, atomic_scope(), order, added}));
  if (in_turn) take_turn();
}

void translator::compare_exchange(const AtomicCmpXchgInst& instruction) {
  const Value *expected = instruction.getCompareOperand(), *desired = instruction.getNewValOperand();
  Type* type = expected->getType();
  const Value* address = instruction.getPointerOperand();
  if (m_families.is_nowhere(address) || m_families.of(address).space == memory_space::arena)
    refuse(&instruction, "an atomic operation on private memory");
  const unsigned bits = static_cast<unsigned>(m_layout.getTypeStoreSizeInBits(type));
  const id comparator = bits_from_register(value(expected), type, expected);
  const id written = bits_from_register(value(desired), type, desired);
  const bool in_turn = instruction.getSuccessOrdering() == AtomicOrdering::SequentiallyConsistent ||
                       instruction.getFailureOrdering() == AtomicOrdering::SequentiallyConsistent;
  const id equal = semantics(instruction.getSuccessOrdering(), true, true);
  const id unequal = semantics(instruction.getFailureOrdering(), true, false);
  if (in_turn) take_turn();
  const id old =
      emit(spv::OpAtomicCompareExchange, int_type(bits),
           {atomic_pointer(address, bits, instruction), atomic_scope(), equal, unequal, written, comparator});
  if (in_turn) take_turn();
  define(&instruction, old);
  m_exchanged[&instruction] = emit(spv::OpIEqual, int_type(1), {old, comparator});
}

void translator::control_barrier(spv::Scope range, std::uint64_t fence) {
  const word storage = ((fence & 1) != 0 ? word{spv::MemorySemanticsWorkgroupMemoryMask} : 0) |
                       ((fence & 2) != 0 ? word{spv::MemorySemanticsUniformMemoryMask} : 0);
  const id scope = number(32, range);
  const id order = semantics_of(storage == 0 ? 0 : word{spv::MemorySemanticsAcquireReleaseMask}, storage);
  m_code->op(spv::OpControlBarrier, {scope, scope, order});
}

void translator::fence(std::uint64_t order, std::uint64_t scope, const Instruction& at) {
  constexpr word orders[] = {0, spv::MemorySemanticsAcquireMask, spv::MemorySemanticsReleaseMask,
                             spv::MemorySemanticsAcquireReleaseMask, spv::MemorySemanticsAcquireReleaseMask};
  if (order > 4) refuse(&at, "a fence without a memory_order");
  if (scope > 3)
    refuse(&at, "a fence of memory_scope::system, which Vulkan does not have (use memory_scope::device)");
  if (order == 0 || scope == 0) return;
  const id where = scope == 1 ? number(32, spv::ScopeSubgroup) : atomic_scope();
  m_code->op(spv::OpMemoryBarrier, {where, semantics_of(orders[order], all_memory)});
  if (order == 4) take_turn();
}

} // namespace prism::compiler::spirv
