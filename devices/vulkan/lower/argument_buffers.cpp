#include "devices/vulkan/lower/argument_buffers.hpp"

#include "devices/api/image.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>

namespace prism::devices::vulkan::lower {

namespace {

static_assert(bases_offset == sizeof(image::push_constants));

struct not_possible {}; // the module stays as it is

/// What a 64-bit integer is.
struct origin {
  enum kind_of : unsigned char {
    nothing, // not known yet
    number,  // no address
    zero,    // the distance between the device's and the host's addresses of shared memory
    block,   // the address of the argument block plus `offset`
    pointer, // the pointer at `offset` in the argument block, plus a number
    other,   // another address of the push constants, or an unknown place in the argument block
    unknown,
  } kind = nothing;
  std::uint32_t offset = 0;
  bool operator==(const origin&) const = default;
};

origin join(const origin& a, const origin& b) {
  if (a.kind == origin::nothing || a == b) return b;
  if (b.kind == origin::nothing) return a;
  return {origin::unknown};
}

class converter {
public:
  converter(std::span<const word> module, std::span<const std::uint32_t> possible)
      : m_in(module), m_possible(possible), m_bound(module[3]) {}
  argument_buffers run(bool small);

private:
  void scan(const instruction& i);
  void scan_type(const instruction& i);
  void find_origins();
  origin origin_of(id value) const;
  origin derive(const instruction& i) const;
  origin sum(const instruction& i) const;
  std::optional<std::uint32_t> push_constant(id pointer) const;
  origin loaded(const instruction& i) const;
  std::optional<std::uint32_t> number_of_block(const instruction& load) const;
  void find_small_numbers();
  void find_pointer(const instruction& access, id pointer);
  void find_pointers();
  void write(const instruction& i);
  void write_constants_type(const instruction& i);
  bool write_access(const instruction& i);
  bool write_small(const instruction& i);
  id low_word(id value, unsigned depth = 0);
  void load_bases();
  id emit(spv::Op code, id type, std::initializer_list<word> operands);
  id global(spv::Op code, id type, const words& operands);
  id constant(word value) { return global(spv::OpConstant, m_u32, {value}); }
  id array_of(std::uint32_t binding, id element);
  const instruction* defined(id value) const;
  std::optional<std::uint64_t> known(id value) const;
  unsigned width(id value) const; // of an integer, else 0

  const std::span<const word> m_in;
  const std::span<const std::uint32_t> m_possible;
  id m_bound, m_u32 = 0, m_u64 = 0, m_constants = 0, m_constants_type = 0;
  bool m_in_function = false, m_has_bases = false;
  std::vector<instruction> m_all;
  std::unordered_map<id, std::size_t> m_defined; // in m_all
  std::unordered_map<id, unsigned> m_scalars;    // bytes of an integer, a float or a vector of them
  std::unordered_map<id, std::uint32_t> m_integer_bits;
  std::unordered_map<id, id> m_pointee;                   // by pointer type of buffer memory
  std::map<std::pair<id, word>, std::uint32_t> m_offsets; // by structure and member
  std::unordered_map<id, origin> m_origins;               // of 64-bit integers
  std::vector<argument_pointer> m_pointers;
  std::optional<small_numbers> m_numbers;
  std::uint32_t m_members = 0;
  std::map<words, id> m_made;                          // types and constants
  std::map<std::pair<std::uint32_t, id>, id> m_arrays; // by binding and element type
  std::unordered_map<id, id> m_low_words;              // of this block
  std::vector<id> m_bases;                             // by binding
  words m_head, m_annotations, m_globals, m_functions, m_variables;
  std::vector<words> m_entries;
};

/// Whether such instructions come before the types.
bool is_of_head(spv::Op code) {
  switch (code) {
    case spv::OpCapability:
    case spv::OpExtension:
    case spv::OpExtInstImport:
    case spv::OpMemoryModel:
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId: return true;
    default: return is_debug(code) || is_annotation(code);
  }
}

/// Where the pointer is among the operands of an access to memory.
std::optional<std::size_t> pointer_of_access(spv::Op code) {
  if (code == spv::OpStore || code == spv::OpAtomicStore) return 0;
  if (code == spv::OpLoad || is_atomic(code)) return 2;
  return std::nullopt;
}

const instruction* converter::defined(id value) const {
  const auto found = m_defined.find(value);
  return found == m_defined.end() ? nullptr : &m_all[found->second];
}

std::optional<std::uint64_t> converter::known(id value) const {
  const instruction* const i = defined(value);
  if (i == nullptr || i->code != spv::OpConstant) return std::nullopt;
  const auto& o = i->operands;
  return o[2] | (o.size() > 3 ? std::uint64_t{o[3]} << 32 : 0);
}

unsigned converter::width(id value) const {
  const instruction* const i = defined(value);
  const auto found = i == nullptr ? m_integer_bits.end() : m_integer_bits.find(i->operands[0]);
  return found == m_integer_bits.end() ? 0 : found->second;
}

void converter::scan_type(const instruction& i) {
  const auto& o = i.operands;
  switch (i.code) {
    case spv::OpTypeInt:
      m_scalars[o[0]] = o[1] / 8;
      m_integer_bits[o[0]] = o[1];
      if (o[1] == 32) m_u32 = o[0];
      if (o[1] == 64) m_u64 = o[0];
      break;
    case spv::OpTypeFloat: m_scalars[o[0]] = o[1] / 8; break;
    case spv::OpTypeVector:
      if (const auto found = m_scalars.find(o[1]); found != m_scalars.end())
        m_scalars[o[0]] = found->second * o[2];
      break;
    case spv::OpTypePointer:
      if (o[1] == spv::StorageClassPhysicalStorageBuffer) m_pointee[o[0]] = o[2];
      m_made[{spv::OpTypePointer, 0, o[1], o[2]}] = o[0];
      break;
    default: break;
  }
}

void converter::scan(const instruction& i) {
  const auto& o = i.operands;
  bool has_result = false, has_type = false;
  spv::HasResultAndType(i.code, &has_result, &has_type);
  if (has_result) m_defined[o[has_type ? 1 : 0]] = m_all.size();
  if (has_result && !has_type) scan_type(i);
  if (i.code == spv::OpConstant && o[0] == m_u32) m_made[{spv::OpConstant, m_u32, o[2]}] = o[1];
  if (i.code == spv::OpVariable && o[2] == spv::StorageClassPushConstant) {
    if (m_constants != 0) throw not_possible{};
    m_constants = o[1];
    m_constants_type = defined(o[0])->operands[2];
  }
  if (i.code == spv::OpMemberDecorate && o.size() > 3 && o[2] == spv::DecorationOffset)
    m_offsets[{o[0], o[1]}] = o[3];
  m_all.push_back(i);
}

origin converter::origin_of(id value) const {
  const auto found = m_origins.find(value);
  if (found != m_origins.end()) return found->second;
  return defined(value) != nullptr && width(value) != 64 && width(value) != 0 ? origin{origin::number}
                                                                              : origin{};
}

/// The offset in image::push_constants of the member that the pointer is to.
std::optional<std::uint32_t> converter::push_constant(id pointer) const {
  const instruction* const i = defined(pointer);
  if (i == nullptr || i->code != spv::OpAccessChain || i->operands.size() != 4 ||
      i->operands[2] != m_constants)
    return std::nullopt;
  const auto member = known(i->operands[3]);
  const auto found = m_offsets.find({m_constants_type, static_cast<word>(member.value_or(UINT32_MAX))});
  return found == m_offsets.end() ? std::nullopt : std::optional(found->second);
}

/// A load of the push constants, or of the argument block.
origin converter::loaded(const instruction& i) const {
  const instruction* const from = defined(i.operands[2]);
  if (from != nullptr && from->code == spv::OpConvertUToPtr) {
    const origin address = origin_of(from->operands[2]);
    if (address.kind == origin::nothing) return address;
    if (address.kind != origin::block) return {origin::unknown};
    const bool may_be = std::find(m_possible.begin(), m_possible.end(), address.offset) != m_possible.end();
    return may_be ? origin{origin::pointer, address.offset} : origin{origin::number};
  }
  const auto member = push_constant(i.operands[2]);
  if (!member) return {origin::unknown};
  if (*member == offsetof(image::push_constants, arguments)) return {origin::block, 0};
  if (*member == offsetof(image::push_constants, window_delta)) return {origin::zero};
  const bool is_of_window = *member == offsetof(image::push_constants, window_base) ||
                            *member == offsetof(image::push_constants, window_bytes);
  return {is_of_window ? origin::number : origin::other};
}

origin converter::sum(const instruction& i) const {
  id address = i.operands[2], plus = i.operands[3];
  if (i.code == spv::OpIAdd && origin_of(address).kind == origin::number) std::swap(address, plus);
  const origin a = origin_of(address), b = origin_of(plus);
  if (b.kind == origin::zero) return a;
  if (a.kind == origin::nothing || b.kind == origin::nothing) return {};
  if (a.kind == origin::unknown || b.kind != origin::number) return {origin::unknown};
  if (a.kind != origin::block) return a;
  const auto bytes = known(plus);
  if (i.code != spv::OpIAdd || !bytes || *bytes > UINT32_MAX - a.offset) return {origin::other};
  return {origin::block, a.offset + static_cast<std::uint32_t>(*bytes)};
}

origin converter::derive(const instruction& i) const {
  const auto& o = i.operands;
  switch (i.code) {
    case spv::OpConstant:
    case spv::OpSpecConstant:
    case spv::OpSpecConstantOp:
    case spv::OpUndef:
    case spv::OpUConvert:
    case spv::OpSConvert:
    case spv::OpConvertFToU:
    case spv::OpConvertFToS:
    case spv::OpIMul:
    case spv::OpShiftLeftLogical:
    case spv::OpShiftRightLogical:
    case spv::OpShiftRightArithmetic:
    case spv::OpUDiv:
    case spv::OpSDiv:
    case spv::OpUMod:
    case spv::OpSRem:
    case spv::OpSMod: return {origin::number};
    case spv::OpLoad: return loaded(i);
    case spv::OpIAdd:
    case spv::OpISub: return sum(i);
    case spv::OpBitwiseAnd:
    case spv::OpBitwiseOr:
    case spv::OpBitwiseXor:
    case spv::OpNot:
    case spv::OpSNegate: {
      origin all{origin::number};
      for (std::size_t k = 2; k < o.size(); ++k) {
        const origin each = origin_of(o[k]);
        if (each.kind == origin::nothing) return {};
        all = join(all, each);
      }
      return all.kind == origin::number ? all : origin{origin::unknown};
    }
    case spv::OpSelect: return join(origin_of(o[3]), origin_of(o[4]));
    case spv::OpPhi: {
      origin all;
      for (std::size_t k = 2; k + 1 < o.size(); k += 2) all = join(all, origin_of(o[k]));
      return all;
    }
    case spv::OpCopyObject: return origin_of(o[2]);
    default: return {origin::unknown};
  }
}

/// Repeats until nothing changes: once for most modules, more often for pointers that loops carry.
void converter::find_origins() {
  std::vector<std::pair<id, const instruction*>> wide;
  for (const instruction& i : m_all) {
    bool has_result = false, has_type = false;
    spv::HasResultAndType(i.code, &has_result, &has_type);
    if (has_type && i.operands[0] == m_u64) wide.emplace_back(i.operands[1], &i);
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [name, i] : wide) {
      origin& now = m_origins[name];
      const origin found = join(now, derive(*i));
      changes |= !(found == now);
      now = found;
    }
  }
}

/// Whether the instruction uses a pointer in another way than to access memory.
bool passes_pointers_on(spv::Op code) {
  switch (code) {
    case spv::OpAccessChain:
    case spv::OpInBoundsAccessChain:
    case spv::OpPtrAccessChain:
    case spv::OpCopyMemory:
    case spv::OpCopyObject:
    case spv::OpConvertPtrToU:
    case spv::OpBitcast:
    case spv::OpSelect:
    case spv::OpPhi:
    case spv::OpFunctionCall:
    case spv::OpReturnValue: return true;
    default: return false;
  }
}

/// Adds the pointer that the access goes through, if it is one of the argument block.
void converter::find_pointer(const instruction& access, id pointer) {
  const instruction* const made = defined(pointer);
  if (made == nullptr || made->code != spv::OpConvertUToPtr) return;
  const origin from = origin_of(made->operands[2]);
  if (from.kind == origin::block || from.kind == origin::other) return;
  const auto type = m_scalars.find(m_pointee[made->operands[0]]);
  if (from.kind != origin::pointer || type == m_scalars.end()) throw not_possible{};
  const unsigned bytes = type->second;
  const bool is_plain = access.code == spv::OpLoad || access.code == spv::OpStore;
  const std::size_t mask_at = access.code == spv::OpLoad ? 3 : 2;
  const auto& o = access.operands;
  const bool states = is_plain && o.size() > mask_at + 1 && (o[mask_at] & spv::MemoryAccessAlignedMask) != 0;
  if ((bytes & (bytes - 1)) != 0 || (is_plain && (!states || o[mask_at + 1] < bytes))) throw not_possible{};
  const auto known_one = std::find_if(m_pointers.begin(), m_pointers.end(),
                                      [&](const argument_pointer& one) { return one.offset == from.offset; });
  if (known_one == m_pointers.end()) m_pointers.push_back({from.offset, bytes});
  else known_one->alignment = std::max(known_one->alignment, bytes);
}

void converter::find_pointers() {
  for (const instruction& i : m_all) {
    if (const auto at = pointer_of_access(i.code)) find_pointer(i, i.operands[*at]);
    if (!passes_pointers_on(i.code)) continue;
    for (const word operand : i.operands)
      if (const instruction* const made = defined(operand);
          made != nullptr && made->code == spv::OpConvertUToPtr)
        throw not_possible{};
  }
  if (m_pointers.empty() || m_pointers.size() > most_argument_buffers) throw not_possible{};
}

id converter::emit(spv::Op code, id type, std::initializer_list<word> operands) {
  words all{type, m_bound};
  all.insert(all.end(), operands);
  append(m_functions, code, all);
  return m_bound++;
}

id converter::global(spv::Op code, id type, const words& operands) {
  words key{static_cast<word>(code), type};
  key.insert(key.end(), operands.begin(), operands.end());
  id& made = m_made[key];
  if (made != 0) return made;
  made = m_bound++;
  words all;
  if (type != 0) all.push_back(type);
  all.push_back(made);
  all.insert(all.end(), operands.begin(), operands.end());
  append(m_globals, code, all);
  return made;
}

/// The variable of that binding as an array of elements of that type.
id converter::array_of(std::uint32_t binding, id element) {
  id& variable = m_arrays[{binding, element}];
  if (variable != 0) return variable;
  const id array = m_bound++, block = m_bound++;
  append(m_globals, spv::OpTypeRuntimeArray, words{array, element});
  append(m_globals, spv::OpTypeStruct, words{block, array});
  const auto decorate = [&](const words& what) { append(m_annotations, spv::OpDecorate, what); };
  decorate({array, spv::DecorationArrayStride, m_scalars[element]});
  decorate({block, spv::DecorationBlock});
  append(m_annotations, spv::OpMemberDecorate, words{block, 0, spv::DecorationOffset, 0});
  const id pointer = global(spv::OpTypePointer, 0, {spv::StorageClassStorageBuffer, block});
  variable = m_bound++;
  append(m_globals, spv::OpVariable, words{pointer, variable, spv::StorageClassStorageBuffer});
  decorate({variable, spv::DecorationDescriptorSet, 0});
  decorate({variable, spv::DecorationBinding, binding});
  decorate({variable, spv::DecorationAliased});
  m_variables.push_back(variable);
  return variable;
}

/// The same for numbers without a sign.
spv::Op without_sign(spv::Op code) {
  switch (code) {
    case spv::OpShiftRightArithmetic: return spv::OpShiftRightLogical;
    case spv::OpSDiv: return spv::OpUDiv;
    case spv::OpSRem: return spv::OpUMod;
    case spv::OpSLessThan: return spv::OpULessThan;
    case spv::OpSLessThanEqual: return spv::OpULessThanEqual;
    case spv::OpSGreaterThan: return spv::OpUGreaterThan;
    case spv::OpSGreaterThanEqual: return spv::OpUGreaterThanEqual;
    case spv::OpConvertSToF: return spv::OpConvertUToF;
    default: return code;
  }
}

/// The low word of a 64-bit integer: sums and products need only the low words of their operands.
id converter::low_word(id value, unsigned depth) {
  constexpr unsigned most = 24; // of nested operations; deeper ones are computed in 64 bits
  const instruction* const i = defined(value);
  if (i == nullptr) throw not_possible{};
  if (const auto number = known(value)) return constant(static_cast<word>(*number));
  if (const auto found = m_low_words.find(value); found != m_low_words.end()) return found->second;
  const auto& o = i->operands;
  const auto low = [&](std::size_t k) { return low_word(o[k], depth + 1); };
  const auto made = [&]() -> id {
    switch (depth < most ? i->code : spv::OpNop) {
      case spv::OpCopyObject: return low(2);
      case spv::OpUConvert:
      case spv::OpSConvert:
        if (width(o[2]) == 32) return o[2];
        return width(o[2]) == 0 ? 0 : emit(i->code, m_u32, {o[2]});
      case spv::OpIAdd:
      case spv::OpISub:
      case spv::OpIMul:
      case spv::OpBitwiseAnd:
      case spv::OpBitwiseOr:
      case spv::OpBitwiseXor: {
        const id first = low(2), second = low(3);
        return emit(i->code, m_u32, {first, second});
      }
      case spv::OpShiftLeftLogical: {
        const auto bits = known(o[3]);
        if (!bits || *bits >= 32) return 0;
        const id shifted = low(2);
        return emit(i->code, m_u32, {shifted, constant(static_cast<word>(*bits))});
      }
      case spv::OpSelect: {
        const id first = low(3), second = low(4);
        return emit(i->code, m_u32, {o[2], first, second});
      }
      case spv::OpShiftRightLogical:
      case spv::OpShiftRightArithmetic:
      case spv::OpUDiv:
      case spv::OpSDiv:
      case spv::OpUMod:
      case spv::OpSRem: {
        if (!m_numbers || !m_numbers->has_small_operands(*i)) return 0;
        const id first = low(2), second = low(3);
        return emit(without_sign(i->code), m_u32, {first, second});
      }
      default: return 0;
    }
  }();
  return m_low_words[value] = made != 0 ? made : emit(spv::OpUConvert, m_u32, {value});
}

/// The low words of the buffers' addresses, at the function's start: llvmpipe makes a vector of what a branch
/// loads, and stores it for each work-item.
void converter::load_bases() {
  const id pointer = global(spv::OpTypePointer, 0, {spv::StorageClassPushConstant, m_u32});
  m_bases.clear();
  for (std::uint32_t binding = 0; binding < m_pointers.size(); ++binding) {
    const id place = emit(spv::OpAccessChain, pointer, {m_constants, constant(m_members + binding)});
    m_bases.push_back(emit(spv::OpLoad, m_u32, {place}));
  }
  m_has_bases = true;
}

/// Whether such instructions come before a function's first computation.
bool opens_function(spv::Op code) {
  return code == spv::OpFunction || code == spv::OpFunctionParameter || code == spv::OpLabel ||
         code == spv::OpVariable || code == spv::OpLine || code == spv::OpNoLine;
}

/// False if the instruction is no access through a pointer among the arguments.
bool converter::write_access(const instruction& i) {
  const auto pointer_at = pointer_of_access(i.code);
  const instruction* const pointer = pointer_at ? defined(i.operands[*pointer_at]) : nullptr;
  if (pointer == nullptr || pointer->code != spv::OpConvertUToPtr) return false;
  const id address = pointer->operands[2];
  const origin from = origin_of(address);
  if (from.kind != origin::pointer) return false;
  const auto found = std::find_if(m_pointers.begin(), m_pointers.end(),
                                  [&](const argument_pointer& one) { return one.offset == from.offset; });
  const auto binding = static_cast<std::uint32_t>(found - m_pointers.begin());
  const id element = m_pointee[pointer->operands[0]], array = array_of(binding, element);
  const id low = low_word(address);
  id index = emit(spv::OpISub, m_u32, {low, m_bases[binding]});
  if (const unsigned bytes = m_scalars[element]; bytes > 1)
    index =
        emit(spv::OpShiftRightLogical, m_u32, {index, constant(static_cast<word>(std::countr_zero(bytes)))});
  const id type = global(spv::OpTypePointer, 0, {spv::StorageClassStorageBuffer, element});
  words o(i.operands.begin(), i.operands.end());
  o[*pointer_at] = emit(spv::OpAccessChain, type, {array, constant(0), index});
  const std::size_t mask_at = i.code == spv::OpLoad ? 3 : 2;
  if (i.code == spv::OpLoad || i.code == spv::OpStore) { // without the alignment, which the type has
    o.erase(o.begin() + std::ptrdiff_t(mask_at) + 1);
    o[mask_at] &= ~word{spv::MemoryAccessAlignedMask};
    if (o[mask_at] == 0) o.pop_back();
  }
  append(m_functions, i.code, o);
  return true;
}

/// False if the instruction computes no small number of small ones.
bool converter::write_small(const instruction& i) {
  if (!m_numbers) return false;
  const auto& o = i.operands;
  if (i.code == spv::OpIAdd && o[0] == m_u64) {
    if (!m_numbers->is_small(o[1])) return false;
  } else if (!m_numbers->has_small_operands(i)) {
    return false;
  }
  if (o[0] == m_u64) { // a number
    append(m_functions, spv::OpUConvert, words{o[0], o[1], low_word(o[1])});
    return true;
  }
  words narrow{o[0], o[1], low_word(o[2])};
  if (i.code != spv::OpConvertUToF && i.code != spv::OpConvertSToF) narrow.push_back(low_word(o[3]));
  append(m_functions, without_sign(i.code), narrow);
  return true;
}

void converter::write_constants_type(const instruction& i) {
  words o(i.operands.begin(), i.operands.end());
  m_members = static_cast<std::uint32_t>(o.size() - 1);
  if (defined(m_u32) > defined(o[0])) throw not_possible{};
  for (std::uint32_t k = 0; k < m_pointers.size(); ++k) {
    o.push_back(m_u32);
    append(m_annotations, spv::OpMemberDecorate,
           words{o[0], m_members + k, spv::DecorationOffset, bases_offset + 4 * k});
  }
  append(m_globals, i.code, o);
}

void converter::write(const instruction& i) {
  m_in_function |= i.code == spv::OpFunction;
  if (i.code == spv::OpEntryPoint) return void(m_entries.emplace_back(i.operands.begin(), i.operands.end()));
  if (m_in_function) {
    if (i.code == spv::OpFunction) m_has_bases = false;
    if (i.code == spv::OpLabel) m_low_words.clear();
    if (!m_has_bases && !opens_function(i.code)) load_bases();
    if (!write_access(i) && !write_small(i)) append(m_functions, i.code, i.operands);
    return;
  }
  if (i.code == spv::OpTypeStruct && i.operands[0] == m_constants_type) return write_constants_type(i);
  words& to = !is_of_head(i.code) ? m_globals : m_entries.empty() ? m_head : m_annotations;
  append(to, i.code, i.operands);
}

/// The place in the argument block of the number that it reads.
std::optional<std::uint32_t> converter::number_of_block(const instruction& load) const {
  const instruction* const from = defined(load.operands[2]);
  if (from == nullptr || from->code != spv::OpConvertUToPtr) return std::nullopt;
  const origin address = origin_of(from->operands[2]);
  if (address.kind != origin::block || loaded(load).kind != origin::number) return std::nullopt;
  return address.offset;
}

void converter::find_small_numbers() {
  m_numbers.emplace(m_all, module_facts{[this](id value) { return defined(value); },
                                        [this](const instruction& load) { return number_of_block(load); },
                                        [this](id pointer) { return push_constant(pointer); }});
}

argument_buffers converter::run(bool small) {
  for_each(m_in, [&](const instruction& i) { scan(i); });
  if (m_constants == 0 || m_u32 == 0 || m_u64 == 0) throw not_possible{};
  find_origins();
  find_pointers();
  if (small) find_small_numbers();
  for (const instruction& i : m_all) write(i);
  argument_buffers made{{m_in.begin(), m_in.begin() + header_words}, m_pointers, {}};
  if (m_numbers) made.limits = m_numbers->limits();
  made.module[3] = m_bound;
  const auto add = [&](const words& section) {
    made.module.insert(made.module.end(), section.begin(), section.end());
  };
  add(m_head);
  for (words& entry : m_entries) {
    entry.insert(entry.end(), m_variables.begin(), m_variables.end());
    append(made.module, spv::OpEntryPoint, entry);
  }
  for (const words* section : {&m_annotations, &m_globals, &m_functions}) add(*section);
  return made;
}

} // namespace

argument_buffers with_argument_buffers(std::span<const word> module,
                                       std::span<const std::uint32_t> possible_pointers, bool small) {
  try {
    return converter(module, possible_pointers).run(small);
  } catch (const not_possible&) {
    return {};
  }
}

} // namespace prism::devices::vulkan::lower
