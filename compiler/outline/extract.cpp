#include "compiler/outline/extract.hpp"

#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

namespace {

void add_globals(const Constant* constant, reachable_set& found, SmallPtrSetImpl<const Constant*>& seen) {
  if (!seen.insert(constant).second) return;
  if (auto* global = dyn_cast<GlobalValue>(constant)) {
    found.insert(global);
    return; // its own contents are followed by the work list
  }
  for (const Use& operand : constant->operands())
    if (auto* inner = dyn_cast<Constant>(operand.get())) add_globals(inner, found, seen);
}

} // namespace

reachable_set reachable_from(const Function& kernel) {
  reachable_set found;
  SmallPtrSet<const Constant*, 32> seen;
  found.insert(&kernel);
  for (size_t i = 0; i < found.size(); ++i) {
    const GlobalValue* global = found[i];
    if (auto* function = dyn_cast<Function>(global)) {
      for (const Instruction& instruction : instructions(*function))
        for (const Use& operand : instruction.operands())
          if (auto* constant = dyn_cast<Constant>(operand.get())) add_globals(constant, found, seen);
    } else if (auto* variable = dyn_cast<GlobalVariable>(global)) {
      if (variable->isConstant() && variable->hasInitializer()) add_globals(variable->getInitializer(), found, seen);
    } else if (auto* alias = dyn_cast<GlobalAlias>(global)) {
      add_globals(alias->getAliasee(), found, seen);
    }
  }
  return found;
}

namespace {

void drop_module_level_data(Module& module) {
  for (const char* name : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations", "llvm.global_ctors", "llvm.global_dtors"})
    if (GlobalVariable* variable = module.getNamedGlobal(name)) variable->eraseFromParent();
  for (GlobalAlias& alias : make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  module.setModuleInlineAsm("");
  for (StringRef name : {"llvm.linker.options", "llvm.dependent-libraries", "llvm.ident", "llvm.commandline"})
    if (NamedMDNode* node = module.getNamedMetadata(name)) node->eraseFromParent();
}

void remove_unwinding(Function& function) {
  for (BasicBlock& block : function)
    if (auto* invoke = dyn_cast<InvokeInst>(block.getTerminator())) changeToCall(invoke);
  removeUnreachableBlocks(function);
  function.setPersonalityFn(nullptr);
}

void drop_debug_values(Function& function) {
  for (BasicBlock& block : function)
    for (Instruction& instruction : make_early_inc_range(block)) {
      instruction.dropDbgRecords();
      if (isa<DbgInfoIntrinsic>(instruction)) instruction.eraseFromParent();
    }
}

void drop_call_attributes(CallBase& call) {
  for (Attribute::AttrKind kind : {Attribute::NoInline, Attribute::AlwaysInline, Attribute::NoDuplicate, Attribute::NoMerge})
    call.removeFnAttr(kind);
}

/// Convergent everywhere until all is inlined: a branch must not be threaded through a call that holds a barrier.
void make_device_function(Function& function, bool is_kernel) {
  AttributeMask dropped;
  for (Attribute::AttrKind kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::StackProtect, Attribute::StackProtectReq,
        Attribute::StackProtectStrong, Attribute::SanitizeAddress, Attribute::SanitizeThread, Attribute::SanitizeMemory,
        Attribute::SanitizeHWAddress, Attribute::UWTable, Attribute::OptimizeForSize, Attribute::MinSize,
        Attribute::InlineHint, Attribute::NoDuplicate, Attribute::SafeStack, Attribute::Naked, Attribute::StrictFP})
    dropped.addAttribute(kind);
  for (const Attribute& attribute : function.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute()) dropped.addAttribute(attribute.getKindAsString());
  function.removeFnAttrs(dropped);
  function.setComdat(nullptr);
  function.setSection("");
  function.clearGC();
  function.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
  function.setVisibility(GlobalValue::DefaultVisibility);
  if (function.isDeclaration()) return;
  function.setLinkage(is_kernel ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage);
  function.setDSOLocal(true);
  function.addFnAttr(Attribute::Convergent);
  if (!is_kernel) function.addFnAttr(Attribute::AlwaysInline);
  drop_debug_values(function);
  remove_unwinding(function);
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallBase>(&instruction)) {
      drop_call_attributes(*call);
      if (call->isIndirectCall()) call->addFnAttr(Attribute::Convergent);
    }
}

} // namespace

void make_linked_functions_internal(Module& module, const Function& kernel) {
  for (Function& function : module)
    if (!function.isDeclaration() && &function != &kernel) make_device_function(function, false);
  for (GlobalVariable& variable : module.globals())
    if (variable.hasInitializer()) {
      variable.setComdat(nullptr);
      variable.setLinkage(GlobalValue::InternalLinkage);
    }
  drop_module_level_data(module);
}

std::unique_ptr<Module> extract_kernel(const kernel_entry& kernel, const std::string& entry) {
  const reachable_set wanted = reachable_from(*kernel.function);
  ValueToValueMapTy map;
  std::unique_ptr<Module> module = CloneModule(*kernel.function->getParent(), map, [&](const GlobalValue* global) {
    if (auto* variable = dyn_cast<GlobalVariable>(global)) return variable->isConstant() && wanted.count(global) != 0;
    return wanted.count(global) != 0;
  });
  auto* function = cast<Function>(map[kernel.function]);
  drop_module_level_data(*module);
  for (Function& each : *module) make_device_function(each, &each == function);
  for (GlobalVariable& variable : module->globals()) {
    variable.setComdat(nullptr);
    variable.setSection("");
    if (variable.hasInitializer()) variable.setLinkage(GlobalValue::InternalLinkage);
  }
  function->setName(entry);
  function->addParamAttrs(0, AttrBuilder(module->getContext()).addDereferenceableAttr(kernel.argument_bytes).addAttribute(Attribute::ReadOnly));
  for (Function& each : make_early_inc_range(*module))
    if (each.isDeclaration() && each.use_empty()) each.eraseFromParent();
  for (GlobalVariable& variable : make_early_inc_range(module->globals()))
    if (variable.use_empty()) variable.eraseFromParent();
  return module;
}

} // namespace prism::compiler
