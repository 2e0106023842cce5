// Loads, stores and address arithmetic.
//
// Global memory: an address becomes a pointer only for one access, with the alignment that LLVM knows.
// Arrays: the element at (offset - bias) / element size. An access that is wider than an element is composed
// of several, little-endian.
#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "compiler/device_ir/captured.hpp"
#include "compiler/spirv/translator.hpp"
#include "devices/api/spirv_data.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

constexpr std::uint64_t widest_alignment = 16; // drivers do not use larger ones

spv::StorageClass storage_of(const family& where) {
  return where.space == memory_space::workgroup ? spv::StorageClassWorkgroup : spv::StorageClassFunction;
}

/// Writes the bytes of a constant in their memory layout.
void write_bytes(const Constant* value, const DataLayout& layout, std::uint8_t* to) {
  Type* type = value->getType();
  if (isa<UndefValue>(value) || value->isNullValue()) return;
  if (isa<ConstantInt>(value) || isa<ConstantFP>(value)) {
    const APInt bits = isa<ConstantInt>(value) ? cast<ConstantInt>(value)->getValue()
                                               : cast<ConstantFP>(value)->getValueAPF().bitcastToAPInt();
    for (std::uint64_t i = 0, n = layout.getTypeStoreSize(type); i < n; ++i)
      to[i] = static_cast<std::uint8_t>(
          i * 8 < bits.getBitWidth()
              ? bits.extractBitsAsZExtValue(std::min<unsigned>(8, bits.getBitWidth() - i * 8), i * 8)
              : 0);
    return;
  }
  if (auto* structure = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      write_bytes(value->getAggregateElement(i), layout,
                  to + layout.getStructLayout(structure)->getElementOffset(i));
    return;
  }
  Type* element = isa<ArrayType>(type)         ? cast<ArrayType>(type)->getElementType()
                  : isa<FixedVectorType>(type) ? cast<FixedVectorType>(type)->getElementType()
                                               : nullptr;
  if (element != nullptr) {
    const std::uint64_t count = isa<ArrayType>(type) ? cast<ArrayType>(type)->getNumElements()
                                                     : cast<FixedVectorType>(type)->getNumElements();
    for (std::uint64_t i = 0; i < count; ++i)
      write_bytes(value->getAggregateElement(static_cast<unsigned>(i)), layout,
                  to + i * layout.getTypeAllocSize(element));
    return;
  }
  throw refused{"a constant table that holds addresses"};
}

} // namespace

std::uint32_t translator::local_element_bytes() const {
  for (const family& one : m_families.all())
    if (one.space == memory_space::workgroup) return one.element_bytes;
  return 1;
}

id translator::element_type(const family& where) {
  if (where.element != nullptr) return scalar_type(where.element, nullptr);
  return int_type(where.element_bytes * 8);
}

id translator::arena_initializer(const family& where, id array_type) {
  const bool constants = std::any_of(where.allocations.begin(), where.allocations.end(),
                                     [](const allocation& one) { return isa<GlobalVariable>(one.root); });
  if (!constants) return 0;
  std::vector<std::uint8_t> bytes(where.size, 0);
  for (const allocation& one : where.allocations)
    if (const auto* variable = dyn_cast<GlobalVariable>(one.root))
      write_bytes(variable->getInitializer(), m_layout, bytes.data() + one.offset);
  std::vector<id> elements;
  for (std::uint32_t at = 0; at < where.size; at += where.element_bytes) {
    std::uint64_t pattern = 0;
    for (std::uint32_t i = 0; i < where.element_bytes; ++i)
      pattern |= std::uint64_t{bytes[at + i]} << (8 * i);
    elements.push_back(m_builder.constant(element_type(where), where.element_bytes * 8, pattern));
  }
  if (elements.size() > 0xfff0) throw refused{"a constant table of more than 65,520 elements"};
  return m_builder.constant_composite(array_type, elements);
}

/// Writes the data that the module has in addition to its code.
void translator::write_data() {
  std::vector<std::uint8_t> bytes;
  for (const family& one : m_families.all()) {
    if (one.space != memory_space::data) continue;
    bytes.resize(one.begin + one.size, 0);
    for (const allocation& each : one.allocations)
      write_bytes(cast<GlobalVariable>(each.root)->getInitializer(), m_layout,
                  bytes.data() + one.begin + each.offset);
  }
  for (const std::string& text : image::spirv_data::texts_of(bytes)) m_builder.text(text);
}

/// The 64-bit address of a location in the module's data.
id translator::data_address(const family& where, const Value* from) {
  if (m_data == 0) {
    const unsigned constants_member = m_orders_all ? 12 : 11; // the last member
    stream* const here = std::exchange(m_code, &m_prologue);
    m_data = push_constant(constants_member, int_type(64));
    m_code = here;
  }
  const id place = resize(add(32, offset_in(where, from), number(32, where.begin)), 32, 64, false);
  return add(64, m_data, place);
}

void translator::declare_arrays() {
  for (const family& one : m_families.all()) {
    if (one.space == memory_space::data) continue;
    id length = 0;
    if (one.space == memory_space::workgroup) length = m_builder.spec_constant_u32(3, 1);
    else length = number(32, std::max(1u, one.size / one.element_bytes));
    const id array_type = m_builder.type_array(element_type(one), length);
    const id pointer_to_array = m_builder.type_pointer(storage_of(one), array_type);
    if (one.space == memory_space::workgroup) {
      m_arrays[&one] = m_builder.global_variable(pointer_to_array, spv::StorageClassWorkgroup);
      continue;
    }
    const id variable = m_builder.fresh();
    std::vector<word> all{pointer_to_array, variable, static_cast<word>(spv::StorageClassFunction)};
    if (const id initializer = arena_initializer(one, array_type)) all.push_back(initializer);
    m_variables.op(spv::OpVariable, all);
    m_arrays[&one] = variable;
  }
}

id translator::element_pointer(const family& where, id index) {
  return emit(spv::OpAccessChain, m_builder.type_pointer(storage_of(where), element_type(where)),
              {m_arrays.at(&where), index});
}

/// Converts host pointers into the device's window of host memory to device addresses
/// (image::push_constants).
id translator::device_address(id address) {
  const id u64 = int_type(64);
  if (m_window.enabled == 0) {
    m_window.enabled = m_builder.spec_constant_false(5);
    stream* const here = std::exchange(m_code, &m_prologue);
    m_window.base = push_constant(8, u64);
    m_window.bytes = push_constant(9, u64);
    m_window.delta = push_constant(10, u64);
    m_code = here;
  }
  const id within =
      emit(spv::OpULessThan, int_type(1), {emit(spv::OpISub, u64, {address, m_window.base}), m_window.bytes});
  const id translates = emit(spv::OpLogicalAnd, int_type(1), {m_window.enabled, within});
  return emit(spv::OpSelect, u64, {translates, emit(spv::OpIAdd, u64, {address, m_window.delta}), address});
}

id translator::global_pointer(id type, id address) {
  m_builder.capability(spv::CapabilityPhysicalStorageBufferAddresses);
  return emit(spv::OpConvertUToPtr, m_builder.type_pointer(spv::StorageClassPhysicalStorageBuffer, type),
              {address});
}

void translator::record_place(const Instruction& at, bool global, bool captured) {
  m_accessed = {};
  if (captured) m_accessed.slot = image::element_place::captured;
  else if (m_elements != nullptr && global) m_accessed = m_elements->of(at);
}

/// A pointer for the piece of the access that begins at byte `piece`.
id translator::pointer_to_piece(id pointer, unsigned piece) {
  if (m_elements != nullptr && m_accessed.slot != image::element_place::elsewhere)
    m_places[pointer] = {m_accessed.slot, m_accessed.byte + piece};
  return pointer;
}

std::vector<image::element_place> translator::places(const std::vector<word>& module) const {
  constexpr std::size_t header_words = 5;
  std::set<id> converted;
  std::vector<image::element_place> out;
  for (std::size_t at = header_words; at < module.size(); at += module[at] >> 16) {
    const auto opcode = static_cast<spv::Op>(module[at] & 0xffff);
    if (opcode == spv::OpConvertUToPtr) converted.insert(module[at + 2]);
    if (opcode != spv::OpLoad && opcode != spv::OpStore) continue;
    const id pointer = module[at + (opcode == spv::OpLoad ? 3 : 1)];
    if (converted.count(pointer) == 0) continue;
    const auto found = m_places.find(pointer);
    out.push_back(found != m_places.end() ? found->second : image::element_place());
  }
  return out;
}

id translator::load_piece(const family& where, id position, unsigned bytes, const access& how) {
  word mask = how.is_volatile ? spv::MemoryAccessVolatileMask : spv::MemoryAccessMaskNone;
  if (m_shares && !how.invariant && where.space != memory_space::arena)
    mask |= spv::MemoryAccessNonPrivatePointerMask;
  if (where.space != memory_space::global && where.space != memory_space::data) {
    const id from = element_pointer(where, position);
    return mask == 0 ? emit(spv::OpLoad, element_type(where), {from})
                     : emit(spv::OpLoad, element_type(where), {from, mask});
  }
  if (bytes == 1) m_builder.capability(spv::CapabilityStorageBuffer8BitAccess);
  if (bytes == 2) m_builder.capability(spv::CapabilityStorageBuffer16BitAccess);
  const id type = int_type(bytes * 8);
  const word align = static_cast<word>(std::clamp<std::uint64_t>(how.align, bytes, widest_alignment));
  const id address =
      how.invariant
          ? position
          : device_address(position); // the captured block and the module's data have device addresses
  return emit(spv::OpLoad, type,
              {pointer_to_piece(global_pointer(type, address), how.piece),
               mask | spv::MemoryAccessAlignedMask, align});
}

void translator::store_piece(const family& where, id position, id what, unsigned bytes, const access& how) {
  word mask = how.is_volatile ? spv::MemoryAccessVolatileMask : spv::MemoryAccessMaskNone;
  if (m_shares && where.space != memory_space::arena) mask |= spv::MemoryAccessNonPrivatePointerMask;
  if (where.space != memory_space::global) {
    const id to = element_pointer(where, position);
    if (mask == 0) m_code->op(spv::OpStore, {to, what});
    else m_code->op(spv::OpStore, {to, what, mask});
    return;
  }
  if (bytes == 1) m_builder.capability(spv::CapabilityStorageBuffer8BitAccess);
  if (bytes == 2) m_builder.capability(spv::CapabilityStorageBuffer16BitAccess);
  const word align = static_cast<word>(std::clamp<std::uint64_t>(how.align, bytes, widest_alignment));
  m_code->op(spv::OpStore,
             {pointer_to_piece(global_pointer(int_type(bytes * 8), device_address(position)), how.piece),
              what, mask | spv::MemoryAccessAlignedMask, align});
}

/// Loads a byte or half-word from an array whose elements are words because atomics work on them.
id translator::load_part_of_word(const family& where, id position, unsigned bytes, const access& how) {
  const unsigned word_bits = where.element_bytes * 8;
  const unsigned log = static_cast<unsigned>(std::countr_zero(where.element_bytes));
  const id whole = load_piece(where, shift_right(32, position, log), where.element_bytes, how);
  const id within = emit(spv::OpBitwiseAnd, int_type(32), {position, number(32, where.element_bytes - 1)});
  const id shifted = emit(spv::OpShiftRightLogical, int_type(word_bits), {whole, multiply(32, within, 8)});
  return resize(shifted, word_bits, bytes * 8, false);
}

/// Two atomic operations, so that other work-items can write neighbouring bytes of the word at the same time.
void translator::store_part_of_word(const family& where, id position, id what, unsigned bytes) {
  const unsigned word_bits = where.element_bytes * 8;
  const id type = int_type(word_bits);
  if (word_bits == 64) {
    need(image::int64_atomics);
    m_builder.capability(spv::CapabilityInt64Atomics);
  }
  const unsigned log = static_cast<unsigned>(std::countr_zero(where.element_bytes));
  const id to = element_pointer(where, shift_right(32, position, log));
  const id within = emit(spv::OpBitwiseAnd, int_type(32), {position, number(32, where.element_bytes - 1)});
  const id amount = multiply(32, within, 8);
  const id ones = number(word_bits, ~std::uint64_t{0} >> (64 - bytes * 8));
  const id mask = emit(spv::OpNot, type, {emit(spv::OpShiftLeftLogical, type, {ones, amount})});
  const id bits = emit(spv::OpShiftLeftLogical, type, {resize(what, bytes * 8, word_bits, false), amount});
  const id scope = number(32, spv::ScopeWorkgroup), relaxed = number(32, 0);
  emit(spv::OpAtomicAnd, type, {to, scope, relaxed, mask});
  emit(spv::OpAtomicOr, type, {to, scope, relaxed, bits});
}

id translator::register_from_bits(id bits, Type* type, const Value* typed) {
  if (type->isPointerTy())
    return resize(bits, 64, m_families.of(typed).space == memory_space::global ? 64 : 32, false);
  if (type->isIntegerTy(1)) return emit(spv::OpINotEqual, int_type(1), {bits, number(8, 0)});
  if (type->isIntegerTy()) return bits;
  return emit(spv::OpBitcast, scalar_type(type, nullptr), {bits});
}

id translator::bits_from_register(id value, Type* type, const Value* typed) {
  if (type->isPointerTy()) {
    const bool null = isa<ConstantPointerNull>(typed) || isa<UndefValue>(typed);
    return resize(value, null || m_families.of(typed).space == memory_space::global ? 64 : 32, 64, false);
  }
  if (type->isIntegerTy(1)) return emit(spv::OpSelect, int_type(8), {value, number(8, 1), number(8, 0)});
  if (type->isIntegerTy()) return value;
  return emit(spv::OpBitcast, int_type(type->getPrimitiveSizeInBits()), {value});
}

id translator::load(const Value* from, Type* type, const access& asked, const Instruction& at) {
  access how = asked;
  if (!type->isPointerTy()) scalar_type(type, &at);
  if (m_families.is_nowhere(from)) // undefined, so it never executes
    return type->isPointerTy()
               ? pointer(ConstantPointerNull::get(cast<PointerType>(type)), m_families.of(&at))
               : constant(Constant::getNullValue(type));
  const family& where = m_families.of(from);
  const unsigned bytes = static_cast<unsigned>(m_layout.getTypeStoreSize(type));
  const unsigned narrow = access_piece(bytes, how.align);
  const bool is_data = where.space == memory_space::data;
  const bool global = where.space == memory_space::global || is_data; // through an address
  const bool parts = !global && where.element_bytes > narrow;
  record_place(at, where.space == memory_space::global, how.invariant);
  how.invariant |= is_data;
  const id position = is_data  ? data_address(where, from)
                      : global ? pointer(from, where)
                      : parts  ? offset_in(where, from)
                               : element_index(where, from);
  if (!global && where.element != nullptr) return load_piece(where, position, bytes, how);
  const unsigned piece = global || parts ? narrow : where.element_bytes;
  id whole = 0;
  for (unsigned i = 0; i < bytes; i += piece) {
    const id here =
        add(global ? 64 : 32, position, number(global ? 64 : 32, global || parts ? i : i / piece));
    how.piece = i;
    const id raw = parts ? load_part_of_word(where, here, piece, how) : load_piece(where, here, piece, how);
    const id part = resize(raw, piece * 8, bytes * 8, false);
    if (i == 0) whole = part;
    else
      whole = emit(spv::OpBitwiseOr, int_type(bytes * 8),
                   {whole, emit(spv::OpShiftLeftLogical, int_type(bytes * 8), {part, number(32, i * 8)})});
  }
  return register_from_bits(whole, type, &at);
}

/// The type of the vector that the parts make. Numbers of 64 bits are pairs of words in it.
id translator::wide_type(const wide_access& merged) {
  const auto count = static_cast<unsigned>(merged.parts.size());
  if (merged.bytes == 8) return m_builder.type_vector(int_type(32), 2 * count);
  return m_builder.type_vector(int_type(merged.bytes * 8), count);
}

/// A pointer to the vector that the parts make. It is made from the address of the lowest part, or for loads
/// from that of the first one in the block, because the others may be computed later.
id translator::wide_pointer(const wide_access& merged) {
  const Instruction* const known = isa<LoadInst>(merged.place) ? merged.place : merged.parts.front();
  const Value* const address = getLoadStorePointerOperand(known);
  const auto index = static_cast<std::uint64_t>(find(merged.parts, known) - merged.parts.begin());
  const id lowest =
      add(64, pointer(address, m_families.of(address)), number(64, std::uint64_t{0} - index * merged.bytes));
  if (merged.bytes == 1) m_builder.capability(spv::CapabilityStorageBuffer8BitAccess);
  if (merged.bytes == 2) m_builder.capability(spv::CapabilityStorageBuffer16BitAccess);
  for (const Instruction* part : merged.parts)
    scalar_type(getLoadStoreType(const_cast<Instruction*>(part)), part);
  const id made = global_pointer(wide_type(merged), device_address(lowest));
  record_place(*merged.parts.front(), true, false);
  const image::element_place first = m_accessed;
  for (std::size_t i = 1; i < merged.parts.size(); ++i) {
    record_place(*merged.parts[i], true, false);
    const bool is_next = first.slot == image::element_place::others || // which have no place
                         m_accessed.byte == first.byte + i * merged.bytes;
    if (m_accessed.slot != first.slot || !is_next) return made;
  }
  m_accessed = first;
  return pointer_to_piece(made, 0);
}

word translator::wide_mask() const {
  return spv::MemoryAccessAlignedMask |
         (m_shares ? spv::MemoryAccessNonPrivatePointerMask : spv::MemoryAccessMaskNone);
}

void translator::load_wide(const wide_access& merged) {
  const auto count = static_cast<unsigned>(merged.parts.size());
  const id from = wide_pointer(merged);
  const id whole = emit(spv::OpLoad, wide_type(merged), {from, wide_mask(), merged.bytes * count});
  if (merged.is_moved) {
    m_moved[&merged] = whole;
    return;
  }
  for (unsigned i = 0; i < count; ++i) {
    const Instruction* const part = merged.parts[i];
    const id bits = emit(spv::OpCompositeExtract, int_type(merged.bytes * 8), {whole, i});
    define(part, register_from_bits(bits, part->getType(), part));
  }
}

void translator::store_wide(const wide_access& merged) {
  const auto count = static_cast<unsigned>(merged.parts.size());
  id whole = 0;
  if (merged.moved != nullptr) {
    whole = m_moved.at(merged.moved);
  } else {
    std::vector<word> elements{wide_type(merged), 0};
    for (const Instruction* part : merged.parts) {
      const Value* const what = cast<StoreInst>(part)->getValueOperand();
      elements.push_back(bits_from_register(value(what), what->getType(), what));
    }
    whole = elements[1] = m_builder.fresh();
    m_code->op(spv::OpCompositeConstruct, elements);
  }
  const id to = wide_pointer(merged);
  m_code->op(spv::OpStore, {to, whole, wide_mask(), merged.bytes * count});
}

/// Whether a number contributes to addresses of work-group memory, as the offset of a local accessor does.
/// Others may be included.
bool translator::contributes_to_group_addresses(const Value& number, unsigned depth) const {
  constexpr unsigned deepest = 3;
  return any_of(number.users(), [&](const User* user) {
    if (const auto* address = dyn_cast<GEPOperator>(user))
      return !m_families.is_nowhere(address) && m_families.of(address).space == memory_space::workgroup;
    const bool is_part =
        isa<TruncInst, ZExtInst>(user) ||
        (isa<BinaryOperator>(user) && cast<BinaryOperator>(user)->getOpcode() == Instruction::Add);
    return is_part && depth < deepest && contributes_to_group_addresses(*user, depth + 1);
  });
}

/// A captured integer that the driver may receive as a constant: devices/api/kernel_constants.hpp. If
/// llvmpipe must preserve a number across barriers, it stores a vector in memory and reads it again, lane by
/// lane, at each access.
id translator::replaceable(const LoadInst& load, id loaded) {
  const std::optional<std::uint64_t> offset = captured_offset(load.getPointerOperand(), m_kernel);
  const unsigned bits = load.getType()->getIntegerBitWidth();
  if (!offset) return loaded;
  const image::kernel_constant which{static_cast<std::uint32_t>(*offset), bits / 8};
  const bool may_be_place =
      bits == 64 && image::has_constant_spec_id(which) && contributes_to_group_addresses(load, 0);
  if (!may_be_place &&
      std::find(m_facts.constants.begin(), m_facts.constants.end(), which) == m_facts.constants.end())
    return loaded;
  auto& [is_known, known] = m_replaceable[image::constant_spec_id(which)];
  if (is_known == 0) {
    const unsigned wide = bits < 32 ? 32 : bits;
    is_known = m_builder.spec_constant_false(image::constant_flag_spec_id(which));
    known = m_builder.spec_constant(int_type(wide), wide, image::constant_spec_id(which));
  }
  return emit(spv::OpSelect, int_type(bits),
              {is_known, resize(known, bits < 32 ? 32 : bits, bits, false), loaded});
}

void translator::store(const Value* to, const Value* what, const access& asked, const Instruction& at) {
  access how = asked;
  Type* type = what->getType();
  if (!type->isPointerTy()) scalar_type(type, &at);
  if (m_families.is_nowhere(to)) return; // undefined, so it never executes
  const family& where = m_families.of(to);
  const unsigned bytes = static_cast<unsigned>(m_layout.getTypeStoreSize(type));
  const unsigned narrow = access_piece(bytes, how.align);
  const bool global = where.space == memory_space::global;
  const bool parts = !global && where.element_bytes > narrow;
  record_place(at, global, false);
  const id position = global ? pointer(to, where) : parts ? offset_in(where, to) : element_index(where, to);
  if (!global && where.element != nullptr) return store_piece(where, position, value(what), bytes, how);
  const unsigned piece = global || parts ? narrow : where.element_bytes;
  const id whole = bits_from_register(value(what), type, what);
  for (unsigned i = 0; i < bytes; i += piece) {
    const id here =
        add(global ? 64 : 32, position, number(global ? 64 : 32, global || parts ? i : i / piece));
    how.piece = i;
    const id part = resize(shift_right(bytes * 8, whole, i * 8), bytes * 8, piece * 8, false);
    if (parts) store_part_of_word(where, here, part, piece);
    else store_piece(where, here, part, piece, how);
  }
}

/// The offset in bytes from the start of an array.
id translator::offset_in(const family& where, const Value* address) {
  return add(32, pointer(address, where), number(32, std::uint32_t{0} - where.bias));
}

id translator::element_index(const family& where, const Value* address) {
  if (const auto made = m_indices.find(address); made != m_indices.end()) return made->second;
  return shift_right(32, offset_in(where, address),
                     static_cast<unsigned>(std::countr_zero(where.element_bytes)));
}

void translator::record_element_index(const Instruction& instruction) {
  const family& where = m_families.of(&instruction);
  const auto* address = dyn_cast<GEPOperator>(&instruction);
  const bool added_up = address != nullptr && m_element_indices.steps_by_elements(*address);
  m_indices[&instruction] = added_up ? add(32, element_index(where, address->getPointerOperand()),
                                           address_offset(*address, 32, where.element_bytes))
                                     : element_index(where, &instruction);
}

/// The sum that an address adds to its base, in units of `unit` bytes, which divide each of its steps.
id translator::address_offset(const GEPOperator& address, unsigned bits, std::uint64_t unit) {
  std::uint64_t fixed = 0;
  id sum = 0;
  for (auto index = gep_type_begin(address), end = gep_type_end(address); index != end; ++index) {
    const Value* operand = index.getOperand();
    if (StructType* structure = index.getStructTypeOrNull()) {
      const auto field = static_cast<unsigned>(cast<ConstantInt>(operand)->getZExtValue());
      fixed += m_layout.getStructLayout(structure)->getElementOffset(field);
      continue;
    }
    const std::uint64_t scale = index.getSequentialElementStride(m_layout);
    if (const auto* number_index = dyn_cast<ConstantInt>(operand)) {
      fixed += static_cast<std::uint64_t>(number_index->getSExtValue()) * scale;
      continue;
    }
    const id sized = resize(value(operand), operand->getType()->getIntegerBitWidth(), bits, true);
    const id scaled = multiply(bits, sized, scale / unit);
    sum = sum == 0 ? scaled : emit(spv::OpIAdd, int_type(bits), {sum, scaled});
  }
  const id constant_part = number(
      bits, static_cast<std::uint64_t>(static_cast<std::int64_t>(fixed) / static_cast<std::int64_t>(unit)));
  return sum == 0 ? constant_part : add(bits, sum, constant_part);
}

void translator::get_element_pointer(const GetElementPtrInst& instruction) {
  if (!m_element_indices.wants_bytes(&instruction)) return;
  const family& where = m_families.of(&instruction);
  const unsigned bits = where.space == memory_space::global ? 64 : 32;
  const id base = pointer(instruction.getPointerOperand(), where);
  define(&instruction, add(bits, base, address_offset(cast<GEPOperator>(instruction), bits, 1)));
}

} // namespace prism::compiler::spirv
