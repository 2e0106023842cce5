#include "compiler/front/extract.hpp"

#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {
using namespace llvm;

namespace {

void add_globals(const Constant* constant, reachable_set& found, SmallPtrSetImpl<const Constant*>& seen) {
  if (!seen.insert(constant).second) return;
  if (auto* global = dyn_cast<GlobalValue>(constant)) {
    found.insert(global);
    return; // the work list visits its contents
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
      if (variable->isConstant() && variable->hasInitializer())
        add_globals(variable->getInitializer(), found, seen);
    } else if (auto* alias = dyn_cast<GlobalAlias>(global)) {
      add_globals(alias->getAliasee(), found, seen);
    }
  }
  return found;
}

namespace {

void drop_module_level_data(Module& module) {
  for (const char* name : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations", "llvm.global_ctors",
                           "llvm.global_dtors"})
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
  for (Attribute::AttrKind kind :
       {Attribute::NoInline, Attribute::AlwaysInline, Attribute::NoDuplicate, Attribute::NoMerge})
    call.removeFnAttr(kind);
}

/// Whether the function is from PRISM's headers. Their loops iterate over dimensions and elements; range
/// guards and the proofs of which elements a kernel uses need these loops unrolled.
bool is_of_headers(const Function& function) {
  const StringRef name = function.getName();
  return name.starts_with("_ZN4sycl3_V1") || name.starts_with("_ZNK4sycl3_V1");
}

/// Removes the promise that a loop ends: with it LLVM may turn an endless loop into anything, and
/// front/check.cpp would not find it. Also removes the hint against unrolling, which clang adds to each loop
/// at -O1 and with -fno-unroll-loops; the program's own loops keep that hint.
void drop_hints(Instruction& terminator, bool is_of_headers) {
  const MDNode* loop = terminator.getMetadata(LLVMContext::MD_loop);
  if (!loop) return;
  SmallVector<Metadata*> retained = {nullptr}; // the first operand is the node itself
  for (const MDOperand& operand : drop_begin(loop->operands())) {
    auto* hint = dyn_cast_or_null<MDNode>(operand.get());
    auto* name = hint && hint->getNumOperands() != 0 ? dyn_cast<MDString>(hint->getOperand(0)) : nullptr;
    if (name && (name->getString() == "llvm.loop.mustprogress" ||
                 (is_of_headers && name->getString() == "llvm.loop.unroll.disable")))
      continue;
    retained.push_back(operand.get());
  }
  MDNode* fresh = MDNode::getDistinct(terminator.getContext(), retained);
  fresh->replaceOperandWith(0, fresh);
  terminator.setMetadata(LLVMContext::MD_loop, fresh);
}

bool reports_undefined_behaviour(const BasicBlock& block) {
  return any_of(block, [](const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const Function* called = call ? call->getCalledFunction() : nullptr;
    return called &&
           (called->getName().starts_with("__ubsan_handle_") || called->getName() == "llvm.ubsantrap");
  });
}

/// Devices cannot report a sanitizer's findings, and not every device can compute the checks, which compare
/// addresses, for example.
void drop_checks(Function& function) {
  for (BasicBlock& block : function) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional()) continue;
    BasicBlock *bad = branch->getSuccessor(0), *good = branch->getSuccessor(1);
    if (reports_undefined_behaviour(*good)) std::swap(bad, good);
    if (!reports_undefined_behaviour(*bad) || reports_undefined_behaviour(*good)) continue;
    bad->removePredecessor(&block);
    IRBuilder<>(branch).CreateBr(good);
    branch->eraseFromParent();
  }
}

/// Calls are convergent until everything is inlined: LLVM must not thread a branch through a call that
/// contains a barrier.
void make_device_function(Function& function, bool is_kernel) {
  AttributeMask dropped;
  for (Attribute::AttrKind kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::StackProtect, Attribute::StackProtectReq,
        Attribute::StackProtectStrong, Attribute::SanitizeAddress, Attribute::SanitizeThread,
        Attribute::SanitizeMemory, Attribute::SanitizeHWAddress, Attribute::UWTable,
        Attribute::OptimizeForSize, Attribute::MinSize, Attribute::InlineHint, Attribute::NoDuplicate,
        Attribute::SafeStack, Attribute::Naked, Attribute::StrictFP, Attribute::MustProgress})
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
  drop_checks(function);
  remove_unwinding(function); // also removes unreachable blocks
  for (BasicBlock& block : function) drop_hints(*block.getTerminator(), is_of_headers(function));
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallBase>(&instruction)) {
      drop_call_attributes(*call);
      if (call->isIndirectCall()) call->addFnAttr(Attribute::Convergent);
    }
}

} // namespace

void prepare_to_inline_small(Module& module, function_ref<bool(const Function&)> is_root) {
  constexpr unsigned few = 50; // instructions
  const auto is_reserved = [](const Function& f) {
    return f.isIntrinsic() || f.getName().starts_with("__prism_");
  };
  for (Function& function : module) {
    const bool inlines =
        !function.isDeclaration() && !is_root(function) &&
        (is_of_headers(function) || function.hasOneUse() || function.getInstructionCount() <= few);
    if (inlines) make_device_function(function, false);
    else if (!is_reserved(function)) function.addFnAttr(Attribute::Convergent);
  }
}

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

namespace {

/// An empty copy of a global in `module`. Mutable variables are only declared, because their values are the
/// host's.
GlobalValue* declare_in(Module& module, const GlobalValue& global) {
  if (auto* function = dyn_cast<Function>(&global)) {
    Function* copy =
        Function::Create(function->getFunctionType(), function->getLinkage(), function->getName());
    copy->copyAttributesFrom(function);
    copy->setPersonalityFn(nullptr);
    return copy; // cloning gives it a parent when it has a body
  }
  auto& variable = cast<GlobalVariable>(global);
  auto* copy =
      new GlobalVariable(module, variable.getValueType(), variable.isConstant(), variable.getLinkage(),
                         nullptr, variable.getName(), nullptr, variable.getThreadLocalMode());
  copy->setAlignment(variable.getAlign());
  return copy;
}

void copy_body(Function& copy, const Function& function, ValueToValueMapTy& map) {
  Function::arg_iterator to = copy.arg_begin();
  for (const Argument& argument : function.args()) {
    to->setName(argument.getName());
    map[&argument] = &*to++;
  }
  SmallVector<ReturnInst*, 4> returns;
  CloneFunctionInto(&copy, &function, map, CloneFunctionChangeType::GlobalChanges, returns);
  copy.setPersonalityFn(nullptr);
}

/// Does what CloneModule does, at a cost that depends on the kernel and not on the file that contains it.
std::unique_ptr<Module> copy_of(const Module& host, const reachable_set& wanted, ValueToValueMapTy& map) {
  auto module = std::make_unique<Module>(host.getModuleIdentifier(), host.getContext());
  module->setDataLayout(host.getDataLayout());
  module->setTargetTriple(host.getTargetTriple());
#if LLVM_VERSION_MAJOR < 21
  module->IsNewDbgInfoFormat = host.IsNewDbgInfoFormat;
#endif
  for (const GlobalValue* global : wanted)
    if (isa<Function, GlobalVariable>(global)) map[global] = declare_in(*module, *global);
  for (const GlobalValue* global : wanted)
    if (auto* alias = dyn_cast<GlobalAlias>(global)) map[alias] = MapValue(alias->getAliasee(), map);
  for (const GlobalValue* global : wanted) {
    auto* variable = dyn_cast<GlobalVariable>(global);
    auto* copy = variable ? cast<GlobalVariable>(map[variable]) : nullptr;
    if (!variable) continue;
    if (variable->isConstant() && variable->hasInitializer())
      copy->setInitializer(MapValue(variable->getInitializer(), map));
    else copy->setLinkage(GlobalValue::ExternalLinkage);
  }
  for (const GlobalValue* global : wanted)
    if (auto* function = dyn_cast<Function>(global)) {
      auto* copy = cast<Function>(map[function]);
      if (!function->isDeclaration()) copy_body(*copy, *function, map);
      module->getFunctionList().push_back(copy);
    }
  if (const NamedMDNode* units = host.getNamedMetadata("llvm.dbg.cu"))
    for (const MDNode* unit : units->operands())
      module->getOrInsertNamedMetadata("llvm.dbg.cu")->addOperand(const_cast<MDNode*>(unit));
  return module;
}

} // namespace

std::unique_ptr<Module> extract_kernel(const kernel_entry& kernel, const std::string& entry) {
  ValueToValueMapTy map;
  std::unique_ptr<Module> module =
      copy_of(*kernel.function->getParent(), reachable_from(*kernel.function), map);
  auto* function = cast<Function>(map[kernel.function]);
  for (Function& each : *module) make_device_function(each, &each == function);
  for (GlobalVariable& variable : module->globals())
    if (variable.hasInitializer()) variable.setLinkage(GlobalValue::InternalLinkage);
  function->setName(entry);
  function->addParamAttrs(0, AttrBuilder(module->getContext())
                                 .addDereferenceableAttr(kernel.argument_bytes)
                                 .addAttribute(Attribute::ReadOnly));
  for (Function& each : make_early_inc_range(*module))
    if (each.isDeclaration() && each.use_empty()) each.eraseFromParent();
  for (GlobalVariable& variable : make_early_inc_range(module->globals()))
    if (variable.use_empty()) variable.eraseFromParent();
  return module;
}

} // namespace prism::compiler
