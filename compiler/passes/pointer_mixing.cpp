#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::uint64_t largest_copy = 4096; // bytes of private memory a copy may cost

void roots_of(Value* pointer, SmallPtrSetImpl<Value*>& seen, SmallPtrSetImpl<Value*>& roots) {
  if (!seen.insert(pointer).second) return;
  if (auto* gep = dyn_cast<GEPOperator>(pointer)) return roots_of(gep->getPointerOperand(), seen, roots);
  if (isa<PHINode, FreezeInst>(pointer)) {
    for (Value* operand : cast<Instruction>(pointer)->operands()) roots_of(operand, seen, roots);
    return;
  }
  if (auto* choice = dyn_cast<SelectInst>(pointer)) {
    roots_of(choice->getTrueValue(), seen, roots);
    return roots_of(choice->getFalseValue(), seen, roots);
  }
  roots.insert(pointer);
}

/// Turns constant expressions on `global` in `kernel` into instructions, so that its uses can be replaced.
void expand_constant_users(GlobalVariable& global, Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel)))
    for (Use& use : instruction.operands()) {
      auto* expression = dyn_cast<ConstantExpr>(use.get());
      if (!expression || expression->stripInBoundsOffsets() != &global) continue;
      Instruction* fresh = expression->getAsInstruction();
      auto* phi = dyn_cast<PHINode>(&instruction);
      Instruction* const place = phi ? phi->getIncomingBlock(use)->getTerminator() : &instruction;
      fresh->insertInto(place->getParent(), place->getIterator());
      if (!phi) use.set(fresh);
      else
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          if (phi->getIncomingBlock(i) == phi->getIncomingBlock(use)) phi->setIncomingValue(i, fresh);
    }
}

/// Whether a pointer is used only by loads of memory of one kind, directly or through other addresses. Such
/// pointers stay as they are, so that the loaded values stay known.
bool only_loads(const Value& pointer, const pointer_spaces& spaces) {
  return all_of(pointer.users(), [&](const User* user) {
    if (isa<LoadInst>(user)) return true;
    return isa<GetElementPtrInst>(user) && spaces.of(user) != pointer_space::mixed &&
           only_loads(*user, spaces);
  });
}

void replace_with_private_copy(Value& root, std::uint64_t bytes, Align align, Function& kernel,
                               const pointer_spaces& spaces) {
  if (auto* global = dyn_cast<GlobalVariable>(&root)) expand_constant_users(*global, kernel);
  BasicBlock& entry = kernel.getEntryBlock();
  IRBuilder<> build(&entry, entry.getFirstInsertionPt());
  AllocaInst* copy = build.CreateAlloca(ArrayType::get(build.getInt8Ty(), bytes));
  copy->setAlignment(align);
  root.replaceUsesWithIf(copy, [&](Use& use) {
    auto* user = dyn_cast<Instruction>(use.getUser());
    if (!user || user->getFunction() != &kernel || isa<LoadInst>(user)) return false;
    return !isa<GetElementPtrInst>(user) || spaces.of(user) == pointer_space::mixed ||
           !only_loads(*user, spaces);
  });
  build.CreateMemCpy(copy, align, &root, align, bytes);
}

} // namespace

void undo_mixed_pointers(Function& kernel, std::uint32_t argument_bytes) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  const pointer_spaces spaces(kernel);
  SmallPtrSet<Value*, 8> roots;
  for (Instruction& instruction : instructions(kernel)) {
    if (!instruction.getType()->isPointerTy() || spaces.of(&instruction) != pointer_space::mixed) continue;
    SmallPtrSet<Value*, 16> seen;
    roots_of(&instruction, seen, roots);
  }
  for (Value* root : roots) {
    if (root == kernel.getArg(0) && argument_bytes <= largest_copy) {
      replace_with_private_copy(*root, argument_bytes, Align(16), kernel, spaces);
    } else if (auto* global = dyn_cast<GlobalVariable>(root); global && global->isConstant()) {
      const std::uint64_t bytes = layout.getTypeAllocSize(global->getValueType());
      if (bytes > 0 && bytes <= largest_copy)
        replace_with_private_copy(*root, bytes, global->getAlign().value_or(Align(1)), kernel, spaces);
    }
  }
}

} // namespace prism::compiler
