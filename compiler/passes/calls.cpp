#include "compiler/support/math_table.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_instrumentation(StringRef name) {
  for (StringRef prefix :
       {"__asan_", "__tsan_", "__msan_", "__hwasan_", "__sanitizer_", "__ubsan_handle_", "__cyg_profile_",
        "llvm.instrprof", "__llvm_profile", "__gcov_", "__sancov", "__xray_", "mcount", "__fentry__"})
    if (name.starts_with(prefix)) return true;
  return false;
}

/// Functions that only report a failed check and end the program.
bool ends_the_item(StringRef name) {
  if (name.starts_with("__ubsan_handle_") && name.ends_with("_abort")) return true;
  for (StringRef known : {"__assert_fail", "__assert_perror_fail", "__assert", "abort", "llvm.trap",
                          "llvm.ubsantrap", "__stack_chk_fail", "_ZSt21__glibcxx_assert_failPKciS0_S0_",
                          "__chk_fail", "_ZSt9terminatev", "__clang_call_terminate"})
    if (name == known) return true;
  return false;
}

/// A kernel attribute (front/attributes.hpp). The call stays until it is read, and does not hinder
/// optimisation.
void make_mark(Function& function) {
  function.setDoesNotThrow();
  function.setWillReturn();
  function.setOnlyAccessesInaccessibleMemory();
  function.addFnAttr(Attribute::NoSync);
}

void make_pure(Function& function) {
  bool has_pointer = false;
  for (const Argument& argument : function.args()) has_pointer |= argument.getType()->isPointerTy();
  function.setDoesNotThrow();
  function.setWillReturn();
  if (has_pointer) function.setOnlyAccessesArgMemory();
  else function.setDoesNotAccessMemory();
  function.addFnAttr(Attribute::NoCallback);
  function.addFnAttr(Attribute::NoSync);
}

} // namespace

void prepare_calls(Module& module) {
  for (Function& function : module) {
    if (!function.isDeclaration()) continue;
    const StringRef name = function.getName();
    for (StringRef memory :
         {"__prism_local_arena", "__prism_group_scratch", "__prism_group_memory", "__prism_values_of_items",
          "__prism_value_of_group", "__prism_value_of_sub_group", "__prism_group_variable"})
      if (name == memory) function.addRetAttr(Attribute::NonNull); // even if it begins at address 0
    if (name.starts_with("__prism_reqd_") || name == "__prism_device_has" || name == "__prism_dimensions" ||
        name == "__prism_order_varies")
      make_mark(function);
    if (find_math(function.getName())) {
      make_pure(function);
      for (User* user : function.users())
        if (auto* call = dyn_cast<CallBase>(user)) call->removeFnAttr(Attribute::StrictFP);
    }
    if (is_instrumentation(function.getName()) && !ends_the_item(function.getName())) {
      for (User* user : make_early_inc_range(function.users()))
        if (auto* call = dyn_cast<CallInst>(user)) {
          if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
          call->eraseFromParent();
        }
    }
  }
}

void end_items_at_traps(Function& kernel) {
  SmallVector<CallInst*> calls;
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction))
      if (const Function* callee = call->getCalledFunction(); callee && ends_the_item(callee->getName()))
        calls.push_back(call);
  SmallPtrSet<BasicBlock*, 8> ended;
  for (CallInst* call : calls) {
    BasicBlock* block = call->getParent();
    if (!ended.insert(block).second) continue; // an earlier call already ended the block
    block->splitBasicBlock(call);
    Instruction* jump = block->getTerminator();
    ReturnInst::Create(kernel.getContext(), nullptr, block);
    jump->eraseFromParent();
  }
  removeUnreachableBlocks(kernel);
}

} // namespace prism::compiler
