// The memory of a work-group and global memory never overlap. LLVM learns that from scopes of aliases, so
// that it keeps in a register what a loop adds up in local memory while it reads global memory.
#include "compiler/device_ir/pointer_space.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

namespace prism::compiler {
using namespace llvm;

void separate_memories(Function& kernel) {
  const pointer_spaces spaces(kernel);
  SmallVector<Instruction*> local, global;
  for (Instruction& instruction : instructions(kernel)) {
    if (!isa<LoadInst, StoreInst>(instruction)) continue;
    const pointer_space space = spaces.of(getLoadStorePointerOperand(&instruction));
    if (space == pointer_space::local) local.push_back(&instruction);
    if (space == pointer_space::global) global.push_back(&instruction);
  }
  if (local.empty() || global.empty()) return;
  MDBuilder build(kernel.getContext());
  MDNode* domain = build.createAnonymousAliasScopeDomain("prism memories");
  MDNode* scope = MDNode::get(kernel.getContext(), {build.createAnonymousAliasScope(domain, "local")});
  const auto add = [&](Instruction& to, unsigned kind) {
    to.setMetadata(kind, MDNode::concatenate(to.getMetadata(kind), scope));
  };
  for (Instruction* each : local) add(*each, LLVMContext::MD_alias_scope);
  for (Instruction* each : global) add(*each, LLVMContext::MD_noalias);
}

} // namespace prism::compiler
