#include "compiler/device_ir/pointer_space.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned integer_depth = 12; // how many integer operations the analysis follows an address through

pointer_space join(pointer_space a, pointer_space b) {
  if (a == pointer_space::none) return b;
  if (b == pointer_space::none || a == b) return a;
  return pointer_space::mixed;
}

const Value* underlying(const Value* pointer) { return getUnderlyingObject(pointer, 0); }

} // namespace

const char* name_of(pointer_space space) {
  switch (space) {
    case pointer_space::none: return "none";
    case pointer_space::captured: return "captured";
    case pointer_space::global: return "global";
    case pointer_space::local: return "local";
    case pointer_space::constant: return "constant";
    case pointer_space::private_: return "private";
    case pointer_space::mixed: return "mixed";
  }
  return "";
}

const Value* accessed_pointer(const Instruction& instruction) {
  if (auto* operation = dyn_cast<AtomicRMWInst>(&instruction)) return operation->getPointerOperand();
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) return exchange->getPointerOperand();
  return getLoadStorePointerOperand(&instruction);
}

bool has_pointers(const Type& type) {
  if (auto* array = dyn_cast<ArrayType>(&type)) return has_pointers(*array->getElementType());
  if (auto* structure = dyn_cast<StructType>(&type))
    return any_of(structure->elements(), [](const Type* element) { return has_pointers(*element); });
  return type.getScalarType()->isPointerTy();
}

SmallSetVector<GlobalVariable*, 4> named_constants(const Function& kernel) {
  SmallSetVector<GlobalVariable*, 4> found;
  SmallPtrSet<const Constant*, 16> seen;
  SmallVector<const Constant*> work;
  for (const Instruction& instruction : instructions(kernel))
    for (const Use& operand : instruction.operands())
      if (auto* constant = dyn_cast<Constant>(operand.get());
          constant && isa<GlobalVariable, ConstantExpr>(constant))
        work.push_back(constant);
  while (!work.empty()) {
    const Constant* constant = work.pop_back_val();
    if (!seen.insert(constant).second) continue;
    if (auto* variable = dyn_cast<GlobalVariable>(constant))
      found.insert(const_cast<GlobalVariable*>(variable));
    else
      for (const Use& operand : constant->operands())
        if (isa<GlobalVariable, ConstantExpr>(operand.get())) work.push_back(cast<Constant>(operand.get()));
  }
  return found;
}

pointer_spaces::pointer_spaces(const Function& kernel) {
  m_constants_hold_pointers = any_of(named_constants(kernel), [](const GlobalVariable* constant) {
    return has_pointers(*constant->getValueType());
  });
  for (const Argument& argument : kernel.args()) m_space[&argument] = pointer_space::captured;
  // The first pass runs without the rule "an unknown pointer is global". Otherwise the result would depend on
  // the order of the blocks.
  for (m_unknown_is_global = false;; m_unknown_is_global = true) {
    do {
      m_changed = false;
      for (const Instruction& instruction : instructions(kernel)) visit(instruction);
    } while (m_changed);
    if (m_unknown_is_global) break;
  }
}

pointer_space pointer_spaces::of(const Value* pointer) const {
  if (auto found = m_space.find(pointer); found != m_space.end()) return found->second;
  if (isa<UndefValue>(pointer) || isa<ConstantPointerNull>(pointer)) return pointer_space::none;
  if (isa<GlobalValue>(pointer)) return pointer_space::constant;
  if (auto* gep = dyn_cast<GEPOperator>(pointer); gep && isa<Constant>(pointer))
    return of(gep->getPointerOperand());
  if (auto* expression = dyn_cast<ConstantExpr>(pointer);
      expression && expression->getOpcode() == Instruction::IntToPtr)
    return pointer_space::global;
  return pointer_space::none; // not visited yet, or in unreachable code
}

void pointer_spaces::raise(const Value* value, pointer_space space) {
  pointer_space& entry = m_space[value];
  const pointer_space merged = join(entry, space);
  if (merged == entry) return;
  entry = merged;
  m_changed = true;
}

pointer_space pointer_spaces::of_integer(const Value* integer, unsigned depth) const {
  if (depth > integer_depth) return pointer_space::none;
  if (auto* cast = dyn_cast<PtrToIntOperator>(integer)) return of(cast->getPointerOperand());
  auto* operation = dyn_cast<Operator>(integer);
  if (!operation) return pointer_space::none;
  pointer_space found = pointer_space::none;
  switch (operation->getOpcode()) {
    case Instruction::Sub: // a difference of two pointers is not a pointer
      return of_integer(operation->getOperand(0), depth + 1);
    case Instruction::Load: // a copy of a word that may be a pointer
      return integer->getType()->isIntegerTy(64) ? stored_at(operation->getOperand(0)) : pointer_space::none;
    case Instruction::Select:
      return join(of_integer(operation->getOperand(1), depth + 1),
                  of_integer(operation->getOperand(2), depth + 1));
    case Instruction::Add:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::PHI:
    case Instruction::Freeze:
      for (const Value* operand : operation->operands()) {
        if (operand == integer) continue;
        if (operation->getOpcode() == Instruction::PHI && depth > 2) continue;
        found = join(found, of_integer(operand, depth + 1));
      }
      return found;
    default: return pointer_space::none;
  }
}

pointer_space pointer_spaces::unknown_or(pointer_space space) const {
  if (space != pointer_space::none || !m_unknown_is_global) return space;
  return m_constants_hold_pointers
             ? pointer_space::mixed
             : pointer_space::global; // bytes were copied one by one, so they may point anywhere
}

pointer_space pointer_spaces::stored_at(const Value* address) const {
  switch (of(address)) {
    case pointer_space::private_:
      if (const Value* object = underlying(address); isa<AllocaInst>(object))
        return join(m_stored.lookup(object), m_stored_in_any);
      return m_stored_private;
    case pointer_space::local: return m_stored_local;
    case pointer_space::global: return m_stored_global;
    case pointer_space::constant:
      return m_constants_hold_pointers ? pointer_space::constant : pointer_space::none;
    case pointer_space::mixed: {
      const pointer_space stored = join(m_stored_private, join(m_stored_local, m_stored_global));
      return m_constants_hold_pointers ? join(stored, pointer_space::constant) : stored;
    }
    default: return pointer_space::none;
  }
}

pointer_space pointer_spaces::loaded_from(const Value* address) const {
  const pointer_space where = of(address), stored = stored_at(address);
  const bool holds_what_host_wrote =
      where == pointer_space::global || where == pointer_space::captured || where == pointer_space::mixed;
  return holds_what_host_wrote ? join(stored, pointer_space::global) : unknown_or(stored);
}

void pointer_spaces::raise_stored(pointer_space& stored, pointer_space space) {
  const pointer_space merged = join(stored, space);
  m_changed |= merged != stored;
  stored = merged;
}

void pointer_spaces::record_stored(const Value* address, pointer_space space) {
  const pointer_space where = of(address);
  const bool anywhere = where == pointer_space::mixed;
  if (anywhere || where == pointer_space::local) raise_stored(m_stored_local, space);
  if (anywhere || where == pointer_space::global) raise_stored(m_stored_global, space);
  if (!anywhere && where != pointer_space::private_) return;
  raise_stored(m_stored_private, space);
  const Value* object = underlying(address);
  raise_stored(isa<AllocaInst>(object) ? m_stored[object] : m_stored_in_any, space);
}

void pointer_spaces::visit(const Instruction& instruction) {
  if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    const Value* value = store->getValueOperand();
    const pointer_space space = value->getType()->isPointerTy()     ? of(value)
                                : value->getType()->isIntegerTy(64) ? of_integer(value, 0)
                                                                    : pointer_space::none;
    if (space != pointer_space::none) record_stored(store->getPointerOperand(), space);
    return;
  }
  if (!instruction.getType()->isPointerTy()) return;
  if (isa<AllocaInst>(instruction)) return raise(&instruction, pointer_space::private_);
  if (auto* gep = dyn_cast<GetElementPtrInst>(&instruction))
    return raise(&instruction, of(gep->getPointerOperand()));
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return raise(&instruction, loaded_from(load->getPointerOperand()));
  if (auto* cast = dyn_cast<IntToPtrInst>(&instruction)) {
    return raise(&instruction, unknown_or(of_integer(cast->getOperand(0), 0)));
  }
  if (auto* call = dyn_cast<CallInst>(&instruction)) {
    const Function* callee = call->getCalledFunction();
    const StringRef name = callee ? callee->getName() : StringRef();
    if (name == "__prism_value_of_group" || name == "__prism_value_of_sub_group")
      return raise(&instruction, pointer_space::private_);
    const bool arena = name == "__prism_local_arena" || name == "__prism_group_scratch" ||
                       name == "__prism_context_arrays" || name == "__prism_values_of_items";
    return raise(&instruction, arena ? pointer_space::local : pointer_space::global);
  }
  if (auto* choice = dyn_cast<SelectInst>(&instruction)) {
    raise(&instruction, join(of(choice->getTrueValue()), of(choice->getFalseValue())));
    return;
  }
  for (const Value* operand : instruction.operands())
    if (operand->getType()->isPointerTy()) raise(&instruction, of(operand));
}

} // namespace prism::compiler
