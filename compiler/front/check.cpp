#include "compiler/front/check.hpp"

#include <set>

#include "compiler/support/math_table.hpp"
#include "compiler/support/options.hpp"
#include "compiler/device_ir/endless_loops.hpp"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

struct known_call {
  const char* prefix;
  const char* what;
};

constexpr known_call known_calls[] = {
    {"__cxa_throw", "throws an exception; device code cannot"},
    {"__cxa_rethrow", "throws an exception; device code cannot"},
    {"__cxa_allocate_exception", "throws an exception; device code cannot"},
    {"__cxa_begin_catch", "catches an exception; device code cannot"},
    {"__cxa_guard", "a static local variable is initialised at run time; make it constexpr"},
    {"__cxa_atexit", "a static local variable is initialised at run time; make it constexpr"},
    {"__cxa_pure_virtual", "a virtual function is called; device code cannot"},
    {"__dynamic_cast", "dynamic_cast needs run-time type information, which device code does not have"},
    {"_Znw", "allocates memory with new; use a captured buffer, USM memory or an array of fixed size"},
    {"_Zna", "allocates memory with new[]; use a captured buffer, USM memory or an array of fixed size"},
    {"_Zdl", "frees memory with delete; device code has no heap"},
    {"_Zda", "frees memory with delete[]; device code has no heap"},
    {"malloc", "allocates memory; device code has no heap"},
    {"calloc", "allocates memory; device code has no heap"},
    {"free", "frees memory; device code has no heap"},
    {"llvm.va_", "a function with variable arguments is defined in device code"},
    {"llvm.threadlocal", "uses a thread-local variable"},
    {"llvm.eh", "handles an exception; device code cannot"},
};

bool is_reserved(StringRef name) { return name.starts_with("__prism_"); }

std::string judge_declared_call(const Function& callee) {
  const StringRef name = callee.getName();
  for (const known_call& known : known_calls)
    if (name.starts_with(known.prefix)) return known.what;
  if (name.contains("__throw_"))
    return "'" + readable_name(name, true) + "' throws an exception; device code cannot";
  if (name == "printf" || name == "__printf_chk")
    return "calls printf with a format that is not known when compiling, or that has %n, %ls or %lc; write "
           "the format as a literal";
  if (name.starts_with("_ZStls") || name.starts_with("_ZNSo"))
    return "prints to a stream of the host; use sycl::stream or printf";
  if (name == "__prism_specialization_constant")
    return "reads a specialisation constant whose id is not known at compile time";
  if (name == "__prism_device_global")
    return "uses a device_global through a reference or pointer to it; name the object itself";
  if (name == "__prism_group_variable")
    return "uses a work_group_static through a pointer that is not known at compile time; name the object "
           "itself";
  if (name == "__prism_pointed_memory")
    return "casts a pointer dynamically (dynamic_addrspace_cast) that was loaded from memory in which "
           "pointers to several kinds of memory are stored; cast it before it is stored";
  if (callee.isIntrinsic() || is_reserved(name) || find_math(name)) return "";
  const std::string what = "calls '" + readable_name(name) + "', which is ";
  if (!current_options().link_list.empty())
    return what +
           "not defined in any object or library of this link (a shared library has device code if prism++ "
           "or add_sycl_to_target linked it)";
  return what +
         "not defined in this file and is not a function of the device library; a function of another file "
         "must be declared SYCL_EXTERNAL";
}

std::string judge_call(const CallBase& call) {
  if (call.isInlineAsm()) return "inline assembly";
  const Function* callee = call.getCalledFunction();
  if (!callee)
    return "a virtual call or a call through a pointer to a function that is not known at compile time";
  if (!callee->isDeclaration())
    return "recursion: '" + readable_name(callee->getName(), true) +
           "' calls itself, directly or through others";
  return judge_declared_call(*callee);
}

/// Why a constant's contents cannot be copied to a device. They may point to other constants only.
std::string judge_contents(const Constant* contents, SmallPtrSetImpl<const Constant*>& seen) {
  if (isa<ConstantData>(contents) || !seen.insert(contents).second) return "";
  if (auto* function = dyn_cast<Function>(contents))
    return "holds the address of the function '" + readable_name(function->getName(), true) +
           "'; devices have no calls through pointers";
  if (auto* variable = dyn_cast<GlobalVariable>(contents)) {
    const std::string name = "'" + readable_name(variable->getName()) + "'";
    if (variable->getName().starts_with("_ZTV"))
      return "holds or points to an object with virtual functions; devices have no calls through pointers";
    if (variable->isThreadLocal() || !variable->isConstant())
      return "holds a pointer to the variable " + name + ", which is not constant";
    if (!variable->hasInitializer())
      return "holds a pointer to " + name + ", which is not defined in this file";
    return judge_contents(variable->getInitializer(), seen);
  }
  if (isa<GlobalValue>(contents)) return "holds the address of '" + readable_name(contents->getName()) + "'";
  if (auto* expression = dyn_cast<ConstantExpr>(contents);
      expression && expression->getOpcode() != Instruction::GetElementPtr)
    return "holds a number that is computed from an address";
  for (const Use& operand : contents->operands())
    if (std::string why = judge_contents(cast<Constant>(operand.get()), seen); !why.empty()) return why;
  return "";
}

std::string judge_constant(const Constant* constant) {
  if (isa<BlockAddress>(constant)) return "a computed goto";
  if (auto* function = dyn_cast<Function>(constant))
    return "takes the address of the function '" + readable_name(function->getName(), true) + "'";
  if (auto* variable = dyn_cast<GlobalVariable>(constant)) {
    const std::string name = "'" + readable_name(variable->getName()) + "'";
    if (variable->getName().starts_with("_ZGV"))
      return ""; // the guard of a static variable; the call of __cxa_guard is reported instead
    if (variable->isThreadLocal()) return "uses the thread-local variable " + name;
    if (!variable->isConstant())
      return "uses the global variable " + name + ", which is not constant; capture its value instead";
    if (!variable->hasInitializer())
      return "uses the constant " + name + ", which is not defined in this file";
    SmallPtrSet<const Constant*, 16> seen;
    const std::string why = judge_contents(variable->getInitializer(), seen);
    return why.empty() ? "" : "uses the constant " + name + ", which " + why;
  }
  for (const Use& operand : constant->operands())
    if (auto* inner = dyn_cast<Constant>(operand.get()))
      if (std::string why = judge_constant(inner); !why.empty()) return why;
  return "";
}

std::string judge(const Instruction& instruction) {
  auto* call = dyn_cast<CallBase>(&instruction);
  if (call)
    if (std::string why = judge_call(*call); !why.empty()) return why;
  if (isa<IndirectBrInst>(instruction)) return "a computed goto";
  if (isa<VAArgInst>(instruction)) return "a function with variable arguments is defined in device code";
  if (instruction.getType()->isX86_FP80Ty() || instruction.getType()->isFP128Ty())
    return "uses the type long double, which no device has";
  if (auto* variable = dyn_cast<AllocaInst>(&instruction);
      variable && !isa<ConstantInt>(variable->getArraySize()))
    return "an array of variable length; device code needs a fixed size";
  for (const Use& use : instruction.operands()) {
    if (call && call->isCallee(&use)) continue;
    if (auto* constant = dyn_cast<Constant>(use.get()))
      if (std::string why = judge_constant(constant); !why.empty()) return why;
  }
  return "";
}

bool is_call_of(const Instruction& instruction, StringRef name) {
  auto* call = dyn_cast<CallBase>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name;
}

/// Blocks from which every way that ends leads to a throw: they make the exception.
SmallPtrSet<const BasicBlock*, 16> throwing_blocks(const Function& kernel) {
  SmallPtrSet<const BasicBlock*, 16> throwing, returning;
  const auto add_before = [](SmallPtrSetImpl<const BasicBlock*>& found, SmallVector<const BasicBlock*> work) {
    while (!work.empty())
      for (const BasicBlock* before : predecessors(work.pop_back_val()))
        if (found.insert(before).second) work.push_back(before);
  };
  for (const BasicBlock& block : kernel) {
    if (isa<ReturnInst>(block.getTerminator())) returning.insert(&block);
    if (any_of(block, [](const Instruction& each) { return is_call_of(each, "__cxa_throw"); }))
      throwing.insert(&block);
  }
  add_before(throwing, {throwing.begin(), throwing.end()});
  add_before(returning, {returning.begin(), returning.end()});
  for (const BasicBlock* block : returning) throwing.erase(block);
  const auto follows_only_these = [&](const BasicBlock& block) {
    return !returning.contains(&block) && !pred_empty(&block) &&
           all_of(predecessors(&block), [&](const BasicBlock* before) { return throwing.contains(before); });
  };
  for (bool grows = true; grows;) { // what fails while the exception is made, as a text that is too long
    grows = false;
    for (const BasicBlock& block : kernel)
      if (follows_only_these(block)) grows |= throwing.insert(&block).second;
  }
  return throwing;
}

const Instruction& located_instruction(ArrayRef<const BasicBlock*> blocks) {
  for (const BasicBlock* block : blocks)
    for (const Instruction& instruction : *block)
      if (user_location(instruction)) return instruction;
  return blocks.front()->front();
}

} // namespace

refusal endless_loop_in(const Function& kernel) {
  const auto endless = endless_blocks(kernel);
  if (endless.empty()) return {};
  return {"an endless loop; every work-item must reach its end", user_location(located_instruction(endless))};
}

bool check_device_code(Function& kernel, reporter& report) {
  std::set<std::string> reported; // one report for one fault, however many instructions show it
  const SmallPtrSet<const BasicBlock*, 16> throwing = throwing_blocks(kernel);
  for (const Instruction& instruction : instructions(kernel)) {
    if (throwing.contains(instruction.getParent()) && !is_call_of(instruction, "__cxa_throw"))
      continue; // the throw is the fault, not how its exception is made
    const std::string why = judge(instruction);
    if (why.empty() || !reported.insert(why + source_location(user_location(instruction))).second) continue;
    report.error(instruction, why);
  }
  return !report.has_errors();
}

} // namespace prism::compiler
