// Names, types and constants of the OpenCL C text.
#include "compiler/opencl/writer.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

std::string function_writer::space_keyword(pointer_space space) const {
  switch (space) {
    case pointer_space::local: return "__local";
    case pointer_space::constant: return m_constants_in_memory ? "__global" : "__constant";
    case pointer_space::private_: return "__private";
    default: return "__global";
  }
}

std::string function_writer::pointer_type(pointer_space space) const {
  if (space == pointer_space::captured)
    return m_by_value ? "const __private uchar*" : "__global const uchar*";
  return space_keyword(space) + " uchar*";
}

void function_writer::record_type(Type* type) {
  if (type->isDoubleTy()) m_features |= image::fp64;
  if (type->isHalfTy()) m_features |= image::fp16_storage;
  if (type->isIntegerTy(64)) m_features |= image::int64;
}

std::string function_writer::type_name(Type* type) {
  record_type(type);
  if (type->isFloatTy()) return "float";
  if (type->isHalfTy()) {
    m_helpers["half"] = true;
    return "prism_half";
  }
  if (type->isDoubleTy()) return "double";
  if (type->isPointerTy()) return "ulong";
  switch (type->getIntegerBitWidth()) {
    case 1: return "bool";
    case 8: return "uchar";
    case 16: return "ushort";
    case 32: return "uint";
    default: return "ulong";
  }
}

std::string function_writer::signed_name(Type* type) {
  switch (type->getIntegerBitWidth()) {
    case 8: return "char";
    case 16: return "short";
    case 32: return "int";
    default: return "long";
  }
}

std::string function_writer::type_name(const Value& value) {
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&value))
    return type_name(exchange->getCompareOperand()->getType());
  return value.getType()->isPointerTy() ? pointer_type(m_spaces.of(&value)) : type_name(value.getType());
}

void function_writer::declare(const std::string& type, const std::string& name) {
  m_declared[type].push_back(name);
}

std::string function_writer::variable(const Value* value) {
  auto [found, fresh] = m_numbers.try_emplace(value, m_numbers.size());
  const std::string name = "v" + std::to_string(found->second);
  if (!fresh) return name;
  const std::string type = type_name(*value);
  declare(type, name);
  if (isa<PHINode>(value)) declare(type, name + "_in");
  return name;
}

std::string function_writer::number(const APInt& value) {
  switch (value.getBitWidth()) {
    case 1: return value.isZero() ? "false" : "true";
    case 8: return "(uchar)" + toString(value, 10, false);
    case 16: return "(ushort)" + toString(value, 10, false);
    case 32: return toString(value, 10, false) + "u";
    default: return toString(value, 10, false) + "ul";
  }
}

std::string function_writer::global_name(const GlobalVariable& global) {
  for (size_t i = 0; i < m_constants.size(); ++i)
    if (m_constants[i] == &global) return "prism_constant_" + std::to_string(i);
  m_constants.push_back(&global);
  return "prism_constant_" + std::to_string(m_constants.size() - 1);
}

std::string function_writer::constant(const Constant& constant) {
  if (auto* integer = dyn_cast<ConstantInt>(&constant)) return number(integer->getValue());
  if (auto* real = dyn_cast<ConstantFP>(&constant)) {
    record_type(real->getType());
    if (real->getType()->isDoubleTy())
      return "as_double(0x" + toString(real->getValueAPF().bitcastToAPInt(), 16, false) + "ul)";
    APFloat value = real->getValueAPF();
    bool lost = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost); // exact for half
    const std::string text = "as_float(0x" + toString(value.bitcastToAPInt(), 16, false) + "u)";
    return real->getType()->isHalfTy() ? "(" + type_name(real->getType()) + ")" + text : text;
  }
  if (constant.getType()->isPointerTy()) {
    if (auto* global = dyn_cast<GlobalVariable>(&constant))
      return "(" + pointer_type(pointer_space::constant) + ")" + global_name(*global);
    if (auto* gep = dyn_cast<GEPOperator>(&constant)) return "(" + address(*gep) + ")";
    return "(__global uchar*)0";
  }
  return "0";
}

std::string function_writer::use(const Value* value) {
  if (value == m_kernel.getArg(0)) return m_by_value ? "((const __private uchar*)&block)" : "block";
  if (auto* fixed = dyn_cast<Constant>(value)) return constant(*fixed);
  return variable(value);
}

std::string function_writer::use_as(const Value* pointer, pointer_space space) {
  const pointer_space own = m_spaces.of(pointer);
  if (own == space || (own == pointer_space::none && space == pointer_space::global)) return use(pointer);
  return null_of(space); // null or undefined: the only other cases in a legal module
}

std::string function_writer::as_signed(const Value* value) {
  return "(" + signed_name(value->getType()) + ")" + use(value);
}

namespace {

void put_bytes(const Constant& constant, std::uint64_t at, const DataLayout& layout,
               std::vector<std::uint8_t>& bytes) {
  if (constant.isNullValue() || isa<UndefValue>(constant)) return;
  auto put = [&](const APInt& value, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i)
      bytes[at + i] = value.zextOrTrunc(size * 8).extractBitsAsZExtValue(8, i * 8);
  };
  if (auto* integer = dyn_cast<ConstantInt>(&constant))
    return put(integer->getValue(), layout.getTypeStoreSize(constant.getType()));
  if (auto* real = dyn_cast<ConstantFP>(&constant))
    return put(real->getValueAPF().bitcastToAPInt(), layout.getTypeStoreSize(constant.getType()));
  if (auto* structure = dyn_cast<StructType>(constant.getType())) {
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      put_bytes(*constant.getAggregateElement(i), at + layout.getStructLayout(structure)->getElementOffset(i),
                layout, bytes);
    return;
  }
  const std::uint64_t count = constant.getType()->isArrayTy()
                                  ? constant.getType()->getArrayNumElements()
                                  : cast<FixedVectorType>(constant.getType())->getNumElements();
  Type* element = constant.getType()->isArrayTy() ? constant.getType()->getArrayElementType()
                                                  : constant.getType()->getScalarType();
  for (std::uint64_t i = 0; i < count; ++i)
    put_bytes(*constant.getAggregateElement(i), at + i * layout.getTypeAllocSize(element), layout, bytes);
}

} // namespace

std::vector<std::uint8_t> constant_bytes(const GlobalVariable& global, const DataLayout& layout) {
  std::vector<std::uint8_t> bytes(std::max<std::uint64_t>(layout.getTypeAllocSize(global.getValueType()), 1));
  put_bytes(*global.getInitializer(), 0, layout, bytes);
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

std::string constant_text(const GlobalVariable& global, const std::string& name, const DataLayout& layout) {
  const std::vector<std::uint8_t> bytes = constant_bytes(global, layout);
  std::string text = "__constant ulong " + name + "[" + std::to_string(bytes.size() / 8) +
                     "] __attribute__((aligned(16))) = {";
  for (size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (size_t k = 0; k < 8; ++k) word |= std::uint64_t(bytes[i + k]) << (8 * k);
    text += (i == 0 ? "" : i % 64 == 0 ? ",\n  " : ", ") + ("0x" + utohexstr(word, true)) + "ul";
  }
  return text + "};\n";
}

} // namespace prism::compiler
