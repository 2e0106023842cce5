// Accesses to memory, atomic operations and barriers.
#include "devices/vulkan/lower/rewriter.hpp"

namespace prism::devices::vulkan::lower {

namespace {

constexpr word made_visible =
    word{spv::MemoryAccessMakePointerAvailableMask} | word{spv::MemoryAccessMakePointerVisibleMask};
constexpr word of_memory_model = made_visible | word{spv::MemoryAccessNonPrivatePointerMask};

bool is_shared(std::span<const word> how) {
  return !how.empty() && (how[0] & spv::MemoryAccessNonPrivatePointerMask) != 0;
}

} // namespace

unsigned rewriter::bytes_of(id type) const {
  const auto found = m_types.find(type);
  const bool is_scalar = found != m_types.end() &&
                         (found->second.code == spv::OpTypeInt || found->second.code == spv::OpTypeFloat);
  if (!is_scalar) throw refused{"an access to global memory that is not of one number"};
  return found->second.bits / 8;
}

id rewriter::low_word(id address) {
  return is_pair(type_of(address)) ? parts(address).low : u32(spv::OpUConvert, {address});
}

/// Whether accesses read and write 32-bit words in place of what they name.
bool rewriter::goes_through_words(const location& where) const {
  return m_lacks.addresses || is_narrow(where.pointee);
}

/// The operands of a load or a store; `alignment`: the new one, 0 for the old one.
words rewriter::access_operands(std::span<const word> operands, bool through_address, word alignment) const {
  word mask = operands.empty() ? 0 : operands[0];
  if ((mask & made_visible) != 0) throw refused{"an access that names the scope of its visibility"};
  const word old = (mask & spv::MemoryAccessAlignedMask) != 0 ? operands[1] : 0;
  if (m_lacks.memory_model) mask &= ~of_memory_model;
  mask &= ~word{spv::MemoryAccessAlignedMask};
  const word wanted = alignment != 0 ? alignment : old;
  if (through_address && wanted != 0) return {mask | spv::MemoryAccessAlignedMask, wanted};
  return mask == 0 ? words() : words{mask};
}

/// In GLSL's memory model a write is seen by others only through coherent memory, which is a property of a
/// block's member.
id rewriter::address_pointer(id address, id pointee, bool coherent) {
  const spv::Op convert = m_lacks.int64 ? spv::OpBitcast : spv::OpConvertUToPtr;
  const auto storage = spv::StorageClassPhysicalStorageBuffer;
  const id plain = pointer_type(storage, pointee);
  if (!coherent || !m_lacks.memory_model) return emit(convert, plain, {address});
  id& block = m_coherent_blocks[pointee];
  if (block == 0) {
    block = fresh();
    const auto add = [](words& to, spv::Op code, const words& operands) {
      to.push_back(static_cast<word>((operands.size() + 1) << 16) | static_cast<word>(code));
      to.insert(to.end(), operands.begin(), operands.end());
    };
    add(m_globals, spv::OpTypeStruct, {block, pointee});
    add(m_annotations, spv::OpDecorate, {block, spv::DecorationBlock});
    add(m_annotations, spv::OpMemberDecorate, {block, 0, spv::DecorationOffset, 0});
    add(m_annotations, spv::OpMemberDecorate, {block, 0, spv::DecorationCoherent});
  }
  const id whole = emit(convert, pointer_type(storage, block), {address});
  return emit(spv::OpAccessChain, plain, {whole, constant(0)});
}

id rewriter::pointer(const location& where, bool coherent) {
  if (m_lacks.addresses) return word_pointer(where, 0, coherent);
  return address_pointer(where.address, alias(where.pointee), coherent);
}

/// The 32-bit word `plus` words after the one that contains the location.
id rewriter::word_pointer(const location& where, unsigned plus, bool coherent) {
  const unsigned bytes = bytes_of(where.pointee);
  if (where.array != 0) {
    const id index = u32(spv::OpShiftRightLogical, {where.index, constant(bytes == 1 ? 2 : 1)});
    return emit(spv::OpAccessChain, pointer_type(spv::StorageClassWorkgroup, m_u32), {where.array, index});
  }
  if (m_lacks.addresses) {
    id index = u32(spv::OpShiftRightLogical, {low_word(where.address), constant(2)});
    if (plus != 0) index = u32(spv::OpIAdd, {index, constant(plus)});
    return emit(spv::OpAccessChain, pointer_type(spv::StorageClassStorageBuffer, m_u32),
                {m_buffer, constant(0), index});
  }
  id address = where.address;
  if (m_lacks.int64) {
    const pair whole = parts(address);
    const id low = u32(spv::OpBitwiseAnd, {whole.low, constant(~3u)});
    address = emit(spv::OpCompositeConstruct, m_pair, {low, whole.high});
  } else {
    const id type = type_of(address), mask = global(spv::OpConstant, type, {~3u, ~0u});
    address = emit(spv::OpBitwiseAnd, type, {address, mask});
  }
  return address_pointer(address, m_u32, coherent);
}

/// The position of an 8- or 16-bit integer in its word.
id rewriter::bit_shift(const location& where) {
  const id place = where.array != 0 ? where.index : low_word(where.address);
  const word log = where.array != 0 && bytes_of(where.pointee) == 2 ? 4 : 3;
  return u32(spv::OpBitwiseAnd,
             {u32(spv::OpShiftLeftLogical, {place, constant(log)}), constant(log == 4 ? 16 : 24)});
}

void rewriter::load_words(id result, id type, const location& from, const words& how) {
  const bool coherent = is_shared(how), through_address = from.array == 0 && !m_lacks.addresses;
  const words operands = access_operands(how, through_address, 4);
  const auto read = [&](unsigned plus) {
    words all{m_u32, fresh(), word_pointer(from, plus, coherent)};
    all.insert(all.end(), operands.begin(), operands.end());
    op(spv::OpLoad, all);
    return all[1];
  };
  const bool is_integer = integer_bits(type) != 0;
  const unsigned bytes = bytes_of(type);
  if (bytes < 4 && !is_integer) throw refused{"a load of a half"};
  if (bytes < 4) {
    const id whole = read(0);
    return from_word(result, type, u32(spv::OpShiftRightLogical, {whole, bit_shift(from)}), false);
  }
  if (bytes == 4) return emit_as(result, is_integer ? spv::OpCopyObject : spv::OpBitcast, type, {read(0)});
  const id low = read(0), high = read(1);
  if (is_pair(type)) return define(result, {low, high});
  emit_as(result, spv::OpBitcast, type, {emit(spv::OpCompositeConstruct, m_pair, {low, high})});
}

/// Writes part of a word with two atomic operations, because other work-items may write its neighbours.
void rewriter::store_words(const location& to, id value, const words& how) {
  const bool coherent = is_shared(how);
  const id type = type_of(value);
  const unsigned bytes = bytes_of(type);
  const bool is_integer = integer_bits(type) != 0;
  if (bytes < 4 && !is_integer) throw refused{"a store of a half"};
  if (bytes < 4) {
    const id amount = bit_shift(to), at = word_pointer(to, 0, false);
    const id ones = u32(spv::OpShiftLeftLogical, {constant((1u << bytes * 8) - 1), amount});
    const id bits = u32(spv::OpShiftLeftLogical, {as_word(value, false), amount});
    const id mask = u32(spv::OpNot, {ones});
    const word far = m_lacks.memory_model ? word{spv::ScopeDevice} : word{spv::ScopeQueueFamily};
    const id within = constant(to.array != 0 ? word{spv::ScopeWorkgroup} : far), relaxed = constant(0);
    u32(spv::OpAtomicAnd, {at, within, relaxed, mask});
    u32(spv::OpAtomicOr, {at, within, relaxed, bits});
    return;
  }
  const words operands = access_operands(how, to.array == 0 && !m_lacks.addresses, 4);
  const auto write = [&](unsigned plus, id part) {
    words all{word_pointer(to, plus, coherent), part};
    all.insert(all.end(), operands.begin(), operands.end());
    op(spv::OpStore, all);
  };
  if (bytes == 4) return write(0, is_integer ? value : u32(spv::OpBitcast, {value}));
  pair both;
  if (is_pair(type)) both = parts(value);
  else {
    const id whole = emit(spv::OpBitcast, m_pair, {value});
    both = {u32(spv::OpCompositeExtract, {whole, 0}), u32(spv::OpCompositeExtract, {whole, 1})};
  }
  write(0, both.low);
  write(1, both.high);
}

void rewriter::load(const instruction& i, const location& from) {
  const auto& o = i.operands;
  const words how(o.begin() + 3, o.end());
  if (goes_through_words(from)) return load_words(o[1], o[0], from, how);
  words all{alias(o[0]), o[1], pointer(from, is_shared(how))};
  for (const word each : access_operands(how, true, 0)) all.push_back(each);
  op(i.code, all);
}

void rewriter::store(const instruction& i, const location& to) {
  const auto& o = i.operands;
  const words how(o.begin() + 2, o.end());
  if (goes_through_words(to)) return store_words(to, o[1], how);
  words all{pointer(to, is_shared(how)), o[1]};
  for (const word each : access_operands(how, true, 0)) all.push_back(each);
  op(i.code, all);
}

/// The queue family is a scope of the Vulkan memory model only.
id rewriter::scope(id value) {
  if (!m_lacks.memory_model) return value;
  const auto number = known(value);
  if (!number) throw refused{"a scope that is not constant"};
  return *number == spv::ScopeQueueFamily ? constant(spv::ScopeDevice) : value;
}

id rewriter::semantics(id value) {
  if (!m_lacks.memory_model) return value;
  const auto number = known(value);
  if (!number) throw refused{"memory semantics that are not constant"};
  constexpr word of_model = word{spv::MemorySemanticsMakeAvailableMask} |
                            word{spv::MemorySemanticsMakeVisibleMask} |
                            word{spv::MemorySemanticsVolatileMask};
  return constant(static_cast<word>(*number) & ~of_model);
}

void rewriter::atomic(const instruction& i) {
  words o(i.operands.begin(), i.operands.end());
  const bool stores = i.code == spv::OpAtomicStore;
  const std::size_t at = stores ? 0 : 2;
  const id type = stores ? type_of(o[3]) : o[0];
  if (is_lowered(type)) throw refused{"64-bit atomic operations"};
  const auto found = m_locations.find(o[at]);
  if (found != m_locations.end()) {
    if (m_lacks.addresses && integer_bits(type) != 32) throw refused{"atomic operations on floats"};
    o[at] = pointer(found->second, false);
  }
  o[at + 1] = scope(o[at + 1]);
  o[at + 2] = semantics(o[at + 2]);
  if (i.code == spv::OpAtomicCompareExchange) o[at + 3] = semantics(o[at + 3]);
  op(i.code, o);
}

bool rewriter::access(const instruction& i) {
  const auto& o = i.operands;
  if (!m_lacks.memory()) return false; // so instructions that are not known here may take pointers
  if (i.code == spv::OpConvertUToPtr) {
    m_locations[o[1]] = {o[2], 0, 0, m_types.at(o[0]).element};
    return true;
  }
  if (i.code == spv::OpAccessChain) {
    const auto pointer = m_types.find(type_of(o[2]));
    const auto array = pointer == m_types.end() ? pointer : m_types.find(pointer->second.element);
    if (array == m_types.end() || !array->second.is_packed) return false;
    m_locations[o[1]] = {0, o[2], as_word(o[3], false), array->second.element};
    return true;
  }
  if (i.code == spv::OpLoad || i.code == spv::OpStore) {
    const bool loads = i.code == spv::OpLoad;
    const std::size_t at = loads ? 2 : 0;
    if (const auto found = m_locations.find(o[at]); found != m_locations.end()) {
      loads ? load(i, found->second) : store(i, found->second);
      return true;
    }
    words all(o.begin(), o.begin() + std::ptrdiff_t(at + (loads ? 1 : 2)));
    if (loads) all[0] = alias(all[0]);
    for (const word each : access_operands(o.subspan(all.size()), true, 0)) all.push_back(each);
    op(i.code, all);
    return true;
  }
  if (is_atomic(i.code)) return atomic(i), true;
  words all(o.begin(), o.end());
  if (i.code == spv::OpControlBarrier) all[1] = scope(all[1]), all[2] = semantics(all[2]);
  else if (i.code == spv::OpMemoryBarrier) all[0] = scope(all[0]), all[1] = semantics(all[1]);
  else return false;
  op(i.code, all);
  return true;
}

} // namespace prism::devices::vulkan::lower
