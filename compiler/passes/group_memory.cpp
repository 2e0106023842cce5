// Named blocks of the work-group's memory, also for variables. The scratch of the group algorithms, which all
// calls share, comes first. One block for each key follows. A call becomes an address in a scratch that is
// large enough for it, so that later passes know only one function. A call whose key or size is not constant
// is not changed, and a later pass refuses it.
#include "compiler/device_ir/uniform.hpp"
#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

namespace prism::compiler {
using namespace llvm;

namespace {

std::optional<std::uint64_t> constant_argument(const CallInst& call, unsigned index) {
  auto* value = dyn_cast<ConstantInt>(call.getArgOperand(index));
  return value ? std::optional(value->getZExtValue()) : std::nullopt;
}

} // namespace

void lower_group_variables(Function& kernel) {
  for (CallInst* call : calls_of(kernel, "__prism_group_variable")) {
    const Value* object = getUnderlyingObject(call->getArgOperand(0));
    auto* variable = dyn_cast<GlobalVariable>(object);
    if (!variable && !isa<AllocaInst>(object)) continue; // front/check.cpp reports it
    IRBuilder<> build(call);
    Value* key = variable ? build.getInt64(xxh3_64bits(variable->getName())) : call->getArgOperand(1);
    FunctionCallee memory = kernel.getParent()->getOrInsertFunction("__prism_group_memory", build.getPtrTy(),
                                                                    build.getInt64Ty(), build.getInt64Ty());
    if (auto* function = dyn_cast<Function>(memory.getCallee())) {
      function->setDoesNotAccessMemory();
      function->setDoesNotThrow();
      function->addRetAttr(Attribute::NonNull);
    }
    call->replaceAllUsesWith(build.CreateCall(memory, {key, call->getArgOperand(2)}));
    call->eraseFromParent();
  }
}

void allocate_group_memory(Function& kernel) {
  constexpr std::uint64_t alignment = 16;
  std::uint64_t end = 0;
  SmallVector<CallInst*> named;
  for (Instruction& instruction : instructions(kernel)) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) continue;
    if (callee->getName() == "__prism_group_scratch")
      end = std::max(end, constant_argument(*call, 0).value_or(0));
    if (callee->getName() == "__prism_group_memory") named.push_back(call);
  }
  MapVector<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> places; // key, size -> offset
  for (CallInst* call : named) {
    const auto key = constant_argument(*call, 0), bytes = constant_argument(*call, 1);
    if (!key || !bytes) continue;
    auto [place, is_new] = places.insert({{*key, *bytes}, alignTo(end, alignment)});
    if (is_new) end = place->second + *bytes;
    IRBuilder<> build(call);
    FunctionCallee scratch = kernel.getParent()->getOrInsertFunction("__prism_group_scratch",
                                                                     build.getPtrTy(), build.getInt64Ty());
    if (auto* function = dyn_cast<Function>(scratch.getCallee())) {
      function->setDoesNotAccessMemory();
      function->setDoesNotThrow();
      function->addRetAttr(Attribute::NonNull);
    }
    Value* block = build.CreateCall(scratch, {build.getInt64(place->second + *bytes)});
    call->replaceAllUsesWith(build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), block, place->second));
    call->eraseFromParent();
  }
}

bool asks_for_group_form(const Module& module) {
  return module.getFunction("__prism_runs_group") || module.getFunction("__prism_runs_items_in_loops");
}

bool resolve_group_form(Function& kernel, bool runs_group) {
  bool found = answer_may_be_partial(kernel, runs_group);
  for (const char* name : {"__prism_runs_group", "__prism_runs_items_in_loops"}) {
    const SmallVector<CallInst*> calls = calls_of(kernel, name);
    for (CallInst* call : calls) {
      call->replaceAllUsesWith(ConstantInt::getBool(call->getContext(), runs_group));
      call->eraseFromParent();
    }
    found = found || !calls.empty();
    if (!calls.empty() && runs_group && StringRef(name) == "__prism_runs_items_in_loops")
      kernel.addFnAttr(copies_loops_attribute);
  }
  return found;
}

void resolve_loops_of_host(Module& host) {
  Function* query = host.getFunction("__prism_runs_items_in_loops");
  if (!query) return;
  for (User* user : make_early_inc_range(query->users()))
    if (auto* call = dyn_cast<CallInst>(user)) {
      call->replaceAllUsesWith(ConstantInt::getTrue(call->getContext()));
      call->eraseFromParent();
    }
}

} // namespace prism::compiler
