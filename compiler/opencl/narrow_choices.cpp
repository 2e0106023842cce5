// Constants that are alternatives to a converted 8- or 16-bit integer in a phi or select of 32 bits.
//
// Mesa, to at least 22.3, moves the conversion after such a phi or select, and narrows the constant with the
// wrong conversion: 1.0f became 15360.0f, the bits of a half as an integer, and 300 as the alternative to a
// char became 0. It does so only with constants that it knows, so this combines them with a zero that it does
// not know. All other code stays the same.
#include "compiler/opencl/writer.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// An integer of 8 or 16 bits, extended to any type.
bool is_narrow(const Value* value) {
  if (value->getType()->isIntegerTy(8) || value->getType()->isIntegerTy(16)) return true;
  auto* cast = dyn_cast<CastInst>(value);
  return cast && (isa<ZExtInst>(cast) || isa<SExtInst>(cast)) && is_narrow(cast->getOperand(0));
}

bool has_32_bits(const Value& value) {
  return value.getType()->isIntegerTy(32) || value.getType()->isFloatTy();
}

bool is_choice(const Value& value) {
  return (isa<PHINode>(value) || isa<SelectInst>(value)) && has_32_bits(value);
}

bool widens(const Instruction& instruction) {
  return has_32_bits(instruction) && (isa<ZExtInst, SExtInst, UIToFPInst, SIToFPInst>(instruction)) &&
         is_narrow(instruction.getOperand(0));
}

} // namespace

void function_writer::find_narrow_choices() {
  SmallVector<const Value*> work;
  for (const Instruction& instruction : instructions(m_kernel))
    if (widens(instruction)) work.push_back(&instruction);
  while (!work.empty())
    for (const User* user : work.pop_back_val()->users())
      if (is_choice(*user) && m_narrow_choices.insert(user).second) work.push_back(user);
}

std::string function_writer::use_in_choice(const Value& choice, const Value* value) {
  if (!isa<ConstantInt, ConstantFP>(value) || !m_narrow_choices.contains(&choice)) return use(value);
  m_helpers["zero"] = true;
  if (!value->getType()->isFloatTy()) return "(" + use(value) + " ^ zero)";
  return "as_float(0x" + utohexstr(cast<ConstantFP>(value)->getValueAPF().bitcastToAPInt().getZExtValue()) +
         "u ^ zero)";
}

} // namespace prism::compiler
