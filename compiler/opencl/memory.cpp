// Loads, stores, addresses and atomics of the OpenCL C text.
//
// Orders: OpenCL C 1.2 atomics are relaxed. A release puts a mem_fence of both kinds of memory in front of
// the operation, an acquire puts one after it. Atomic loads and stores are volatile accesses of naturally
// aligned 32 or 64 bits.
#include "compiler/opencl/writer.hpp"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned null_distance = 4096; // a multiple of every alignment that code may test

} // namespace

void function_writer::write_alloca(const AllocaInst& alloca) {
  const std::uint64_t bytes =
      std::max<std::uint64_t>(alloca.getAllocationSize(m_layout).value_or(TypeSize::getFixed(8)), 1);
  const std::string name = variable(&alloca);
  const std::string alignment =
      alloca.getAlign() > 8 ? " __attribute__((aligned(" + std::to_string(alloca.getAlign().value()) + ")))"
                            : "";
  m_arrays.push_back("ulong " + name + "_m[" + std::to_string((bytes + 7) / 8) + "]" + alignment);
  statement(name + " = (__private uchar*)" + name + "_m");
}

/// Work-group and private memory may begin at address 0, so null there is another address, and a pointer
/// converted to a number is shifted up: only null is the number 0.
std::string function_writer::null_of(pointer_space space) const {
  const bool from_zero = space == pointer_space::local || space == pointer_space::private_;
  return "((" + pointer_type(space) + ")" +
         (from_zero ? "(0ul - " + std::to_string(null_distance) + "ul))" : "0)");
}

std::string function_writer::address_number(const Value* pointer) {
  if (isa<ConstantPointerNull, UndefValue>(pointer)) return "0ul";
  const pointer_space space = m_spaces.of(pointer);
  if (space != pointer_space::local && space != pointer_space::private_)
    return "(ulong)(" + use(pointer) + ")";
  if (isa<AllocaInst, CallInst>(pointer))
    return "((ulong)(" + use(pointer) + ") + " + std::to_string(null_distance) + "ul)"; // never null
  return "(" + use(pointer) + " == " + null_of(space) + " ? 0ul : (ulong)(" + use(pointer) + ") + " +
         std::to_string(null_distance) + "ul)";
}

std::string function_writer::pointer_of(const Value& pointer, const std::string& number) {
  const pointer_space space = m_spaces.of(&pointer);
  const bool from_zero = space == pointer_space::local || space == pointer_space::private_;
  return "(" + type_name(pointer) + ")(" + number +
         (from_zero ? " - " + std::to_string(null_distance) + "ul)" : ")");
}

std::string function_writer::pointer_compare(const Value* a, const std::string& sign, const Value* b) {
  const auto is_null = [](const Value* value) { return isa<ConstantPointerNull, UndefValue>(value); };
  if (is_null(a) && is_null(b)) return "0ul" + sign + "0ul";
  if (is_null(a) || is_null(b)) {
    const pointer_space space = m_spaces.of(is_null(a) ? b : a);
    return "(ulong)(" + use_as(a, space) + ")" + sign + "(ulong)(" + use_as(b, space) + ")";
  }
  if (m_spaces.of(a) != m_spaces.of(b)) return address_number(a) + sign + address_number(b);
  return "(ulong)(" + use(a) + ")" + sign + "(ulong)(" + use(b) + ")";
}

/// `type`: by which the access is written, which need not be its own.
std::string function_writer::place(const Instruction& access, Type* type) {
  const Value* pointer = getLoadStorePointerOperand(&access);
  const auto* load = dyn_cast<LoadInst>(&access);
  const bool is_volatile =
      access.isAtomic() || (load ? load->isVolatile() : cast<StoreInst>(access).isVolatile());
  record_type(type);
  if (type->isIntegerTy(8)) m_features |= image::int8;
  if (type->isIntegerTy(16)) m_features |= image::int16;
  const pointer_space space = m_spaces.of(pointer);
  const std::string name = "prism_" + type_name(type);
  m_helpers["alias"] = true;
  const bool is_ordered = !is_volatile && m_ordered.contains(&access);
  if (is_ordered) m_helpers["ordered"] = true;
  const std::string qualifiers = is_volatile ? "volatile " : is_ordered ? "prism_ordered " : "";
  if (space == pointer_space::captured)
    return "*(" + qualifiers + (m_by_value ? "const __private " : "__global const ") + name + "*)(" +
           use(pointer) + ")";
  return "*(" + qualifiers + space_keyword(space) + " " + name + "*)(" + use(pointer) + ")";
}

/// A load at a known offset of the by-value block: the bits of one of its words.
std::string function_writer::captured_word(const LoadInst& load) {
  APInt offset(64, 0);
  const Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, true);
  if (!m_by_value || base != m_kernel.getArg(0) || offset.isNegative()) return "";
  const std::uint64_t at = offset.getZExtValue(), bytes = m_layout.getTypeStoreSize(load.getType());
  if (at % 8 + bytes > 8 || at + bytes > (m_facts.argument_bytes + 7) / 8 * 8) return "";
  std::string word = "block.w[" + std::to_string(at / 8) + "]";
  if (at % 8 != 0) word = "(" + word + " >> " + std::to_string(at % 8 * 8) + ")";
  Type* type = load.getType();
  record_type(type);
  const image::kernel_constant which{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bytes)};
  if (type->isIntegerTy() && is_contained(m_facts.constants, which)) {
    m_replaceable[image::constant_macro(which)] = "((" + type_name(type) + ")" + word + ")";
    return "(" + type_name(type) + ")" + image::constant_macro(which);
  }
  if (type->isFloatTy()) return "as_float((uint)" + word + ")";
  if (type->isDoubleTy()) return "as_double(" + word + ")";
  if (type->isHalfTy()) {
    m_helpers["half"] = true;
    return "prism_half_value((ushort)" + word + ")";
  }
  if (type->isPointerTy()) return pointer_of(load, word);
  return "(" + type_name(type) + ")" + word;
}

void function_writer::record_place(const Instruction& access) {
  if (m_elements && m_spaces.of(getLoadStorePointerOperand(&access)) == pointer_space::global)
    m_places.push_back(m_elements->of(access));
}

void function_writer::write_load(const LoadInst& load) {
  const std::string name = variable(&load);
  if (load.getType()->isPointerTy()) {
    APInt offset(64, 0);
    const Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, true);
    if (base == m_kernel.getArg(0))
      for (size_t i = 0; i < m_facts.slots.size(); ++i)
        if (offset == m_facts.slots[i].offset) return statement(name + " = slot" + std::to_string(i));
  }
  if (std::string word = captured_word(load); !word.empty()) return statement(name + " = " + word);
  record_place(load);
  if (load.isAtomic() && load.getOrdering() == AtomicOrdering::SequentiallyConsistent)
    fence_before(load.getOrdering());
  if (load.getType()->isHalfTy() && m_ordered.contains(&load)) {
    record_type(load.getType());
    m_helpers["half"] = true;
    statement(name + " = prism_half_value(" + place(load, Type::getInt16Ty(load.getContext())) + ")");
  } else if (load.getType()->isHalfTy()) {
    record_type(load.getType());
    m_helpers["half"] = true;
    const pointer_space space = m_spaces.of(load.getPointerOperand());
    const std::string from = space == pointer_space::captured
                                 ? (m_by_value ? "const __private" : "const __global")
                                 : "const " + space_keyword(space);
    statement(name + " = prism_load_half(" + place(load, Type::getInt16Ty(load.getContext())) + ", (" + from +
              " half*)(" + use(load.getPointerOperand()) + "))");
  } else {
    const std::string found = place(load, load.getType());
    statement(name + " = " + (load.getType()->isPointerTy() ? pointer_of(load, found) : found));
  }
  if (load.isAtomic()) fence_after(load.getOrdering());
}

void function_writer::write_store(const StoreInst& store) {
  const Value* value = store.getValueOperand();
  record_place(store);
  if (store.isAtomic()) fence_before(store.getOrdering());
  if (value->getType()->isHalfTy() && m_ordered.contains(&store)) {
    record_type(value->getType());
    m_helpers["half"] = true;
    statement(place(store, Type::getInt16Ty(store.getContext())) + " = prism_half_bits(" + use(value) + ")");
  } else if (value->getType()->isHalfTy()) {
    record_type(value->getType());
    m_helpers["half"] = true;
    statement("prism_store_half(" + use(value) + ", " + place(store, Type::getInt16Ty(store.getContext())) +
              ", (" + space_keyword(m_spaces.of(store.getPointerOperand())) + " half*)(" +
              use(store.getPointerOperand()) + "))");
  } else {
    statement(place(store, value->getType()) + " = " +
              (value->getType()->isPointerTy() ? address_number(value) : use(value)));
  }
  if (store.isAtomic() && store.getOrdering() == AtomicOrdering::SequentiallyConsistent)
    fence_after(store.getOrdering());
}

void function_writer::fence_before(AtomicOrdering order) {
  if (isReleaseOrStronger(order)) statement("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
}

void function_writer::fence_after(AtomicOrdering order) {
  if (isAcquireOrStronger(order)) statement("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
}

std::string function_writer::atomic_place(const Value* pointer, Type* type, bool is_signed) {
  if (m_layout.getTypeSizeInBits(type) == 64) m_features |= image::int64_atomics;
  const std::string name = !type->isIntegerTy() ? (type->isDoubleTy() ? "ulong" : "uint")
                           : is_signed          ? signed_name(type)
                                                : type_name(type);
  return "(volatile " + space_keyword(m_spaces.of(pointer)) + " " + name + "*)(" + use(pointer) + ")";
}

void function_writer::write_atomic(const AtomicRMWInst& operation) {
  Type* type = operation.getType();
  const Value* value = operation.getValOperand();
  const bool is_signed =
      operation.getOperation() == AtomicRMWInst::Max || operation.getOperation() == AtomicRMWInst::Min;
  const std::string at = atomic_place(operation.getPointerOperand(), type, is_signed);
  std::string text;
  if (type->isFloatingPointTy()) {
    const std::string helper =
        std::string(type->isDoubleTy() ? "prism_add_double" : "prism_add_float") +
        (m_spaces.of(operation.getPointerOperand()) == pointer_space::local ? "_local" : "_global");
    m_helpers[helper] = true;
    record_type(type);
    text = helper + "(" + at + ", " + use(value) + ")";
  } else {
    const char* name = "add";
    switch (operation.getOperation()) {
      case AtomicRMWInst::Xchg: name = "xchg"; break;
      case AtomicRMWInst::Sub: name = "sub"; break;
      case AtomicRMWInst::And: name = "and"; break;
      case AtomicRMWInst::Or: name = "or"; break;
      case AtomicRMWInst::Xor: name = "xor"; break;
      case AtomicRMWInst::Max:
      case AtomicRMWInst::UMax: name = "max"; break;
      case AtomicRMWInst::Min:
      case AtomicRMWInst::UMin: name = "min"; break;
      default: break;
    }
    text = std::string(type->isIntegerTy(64) ? "atom_" : "atomic_") + name + "(" + at + ", " +
           (is_signed ? as_signed(value) : use(value)) + ")";
    if (is_signed) text = "(" + type_name(type) + ")" + text;
  }
  fence_before(operation.getOrdering());
  statement(operation.use_empty() ? "(void)" + text : variable(&operation) + " = " + text);
  fence_after(operation.getOrdering());
}

void function_writer::write_exchange(const AtomicCmpXchgInst& exchange) {
  Type* type = exchange.getCompareOperand()->getType();
  const std::string name = type->isIntegerTy(64) ? "atom_cmpxchg" : "atomic_cmpxchg";
  fence_before(exchange.getSuccessOrdering());
  statement(variable(&exchange) + " = " + name + "(" +
            atomic_place(exchange.getPointerOperand(), type, false) + ", " +
            use(exchange.getCompareOperand()) + ", " + use(exchange.getNewValOperand()) + ")");
  if (isAcquireOrStronger(exchange.getFailureOrdering())) fence_after(exchange.getFailureOrdering());
  else fence_after(exchange.getSuccessOrdering());
}

/// An element by a number of which only the low half counts, as a typed pointer. LLVM would move the mask
/// behind a product with the element's size, where its scalar evolution no longer finds that adjacent
/// work-items access adjacent elements.
std::string function_writer::typed_element(const GEPOperator& gep) {
  const APInt* mask = nullptr;
  Type* type = gep.getSourceElementType();
  const std::uint64_t bytes = m_layout.getTypeAllocSize(type);
  if (gep.getNumIndices() != 1 || (bytes != 2 && bytes != 4 && bytes != 8) ||
      !PatternMatch::match(gep.idx_begin()->get(),
                           PatternMatch::m_And(PatternMatch::m_Value(), PatternMatch::m_LowBitMask(mask))) ||
      mask->getActiveBits() > 32)
    return "";
  const pointer_space space = m_spaces.of(gep.getPointerOperand());
  if (space != pointer_space::global) return "";
  const char* element = bytes == 2 ? "ushort" : bytes == 4 ? "uint" : "ulong";
  return "(" + pointer_type(space) + ")((__global " + element + "*)" + use(gep.getPointerOperand()) + " + " +
         use(gep.idx_begin()->get()) + ")";
}

std::string function_writer::address(const GEPOperator& gep) {
  if (const std::string element = typed_element(gep); !element.empty()) return element;
  std::int64_t fixed = 0;
  std::string moving;
  const bool in_bounds = gep.isInBounds();
  Type* type = gep.getSourceElementType();
  bool first = true;
  for (const Use& operand : make_range(gep.idx_begin(), gep.idx_end())) {
    const Value* index = operand.get();
    std::uint64_t scale = 0;
    if (auto* structure = first ? nullptr : dyn_cast<StructType>(type)) {
      const unsigned member = cast<ConstantInt>(index)->getZExtValue();
      fixed += m_layout.getStructLayout(structure)->getElementOffset(member);
      type = structure->getElementType(member);
      continue;
    }
    if (!first) type = type->isArrayTy() ? type->getArrayElementType() : type->getScalarType();
    first = false;
    scale = m_layout.getTypeAllocSize(type);
    if (auto* known = dyn_cast<ConstantInt>(index)) {
      fixed += known->getSExtValue() * static_cast<std::int64_t>(scale);
      continue;
    }
    std::string text = "(long)" + as_signed(index);
    if (!in_bounds) text = "(ulong)" + text;
    if (scale != 1) text += " * " + std::to_string(scale) + (in_bounds ? "l" : "ul");
    moving += (moving.empty() ? "" : " + ") + text;
  }
  std::string base = use(gep.getPointerOperand());
  if (!moving.empty()) base += " + " + (in_bounds ? "(" + moving + ")" : "(long)(" + moving + ")");
  if (fixed != 0) base += (fixed < 0 ? " - " : " + ") + std::to_string(fixed < 0 ? -fixed : fixed) + "l";
  return base;
}

} // namespace prism::compiler
