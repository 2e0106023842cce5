#include "compiler/device_ir/dimensions.hpp"
#include "compiler/passes/passes.hpp"

#include <optional>

#include "compiler/passes/hidden.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// The dimension of the global id that a guard compares: group id * local size + local id.
std::optional<std::uint64_t> dimension_of(Value* place) {
  SmallVector<Value*> open{place};
  while (!open.empty()) {
    auto* instruction = dyn_cast<Instruction>(open.pop_back_val());
    auto* call = dyn_cast_or_null<CallInst>(instruction);
    if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_local_id")
      if (auto* dimension = dyn_cast<ConstantInt>(call->getArgOperand(0))) return dimension->getZExtValue();
    if (isa_and_nonnull<BinaryOperator, CastInst>(instruction))
      open.append(instruction->op_begin(), instruction->op_end());
  }
  return std::nullopt;
}

} // namespace

void resolve_extents(Function& kernel) {
  const SmallVector<CallInst*> calls = calls_of(kernel, "__prism_extent");
  if (calls.empty()) return;
  const SmallVector<CallInst*> guards = calls_of(kernel, "__prism_outside");
  const unsigned used = used_dimensions(kernel);
  for (CallInst* call : calls) {
    IRBuilder<> build(call);
    const auto dimension = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    Value* extent = nullptr;
    for (CallInst* guard : guards)
      if (dimension_of(guard->getArgOperand(0)) == dimension) extent = guard->getArgOperand(1);
    const auto ask = [&](const char* name) {
      auto* callee = cast<Function>(
          kernel.getParent()->getOrInsertFunction(name, build.getInt64Ty(), build.getInt32Ty()).getCallee());
      callee->setDoesNotAccessMemory();
      callee->setDoesNotThrow();
      return build.CreateCall(callee, {build.getInt32(static_cast<std::uint32_t>(dimension))});
    };
    if (!extent)
      extent = dimension < used && guards.empty()
                   ? build.CreateMul(ask("__prism_group_count"), ask("__prism_local_size"))
                   : build.getInt64(1);
    call->replaceAllUsesWith(extent);
    call->eraseFromParent();
  }
}

bool lower_range_guards(Function& kernel, bool whole_groups_only) {
  const SmallVector<CallInst*> calls = calls_of(kernel, "__prism_outside");
  for (CallInst* call : calls) {
    IRBuilder<> build(call);
    Value* answer = whole_groups_only ? build.getFalse()
                                      : build.CreateICmpUGE(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(answer);
    call->eraseFromParent();
  }
  return !calls.empty();
}

void resolve_local_bounds(Function& kernel) {
  for (CallInst* id : calls_of(kernel, "__prism_local_id"))
    for (User* user : make_early_inc_range(id->users())) {
      auto* compare = dyn_cast<ICmpInst>(user);
      if (!compare) continue;
      const bool is_left = compare->getOperand(0) == id;
      const ICmpInst::Predicate predicate =
          is_left ? compare->getPredicate() : compare->getSwappedPredicate();
      auto* size = dyn_cast<CallInst>(compare->getOperand(is_left ? 1 : 0));
      const Function* asked = size ? size->getCalledFunction() : nullptr;
      if (!asked || asked->getName() != "__prism_local_size" ||
          size->getArgOperand(0) != id->getArgOperand(0))
        continue;
      if (predicate != ICmpInst::ICMP_ULT && predicate != ICmpInst::ICMP_UGE) continue;
      compare->replaceAllUsesWith(
          ConstantInt::getBool(compare->getContext(), predicate == ICmpInst::ICMP_ULT));
      compare->eraseFromParent();
    }
}

} // namespace prism::compiler
