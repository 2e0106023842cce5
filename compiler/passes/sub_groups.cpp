// Sub-groups of one work-item, for images that have no others. Each work-item is lane 0 of its own sub-group,
// whose number is the work-item's linear local id. Shuffles and reductions return their argument; barriers do
// nothing.
#include "compiler/device_ir/sub_group_operation.hpp"
#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// Inserts work-item queries before `call`.
class queries {
public:
  explicit queries(CallInst& call) : m_module(*call.getModule()), m_build(&call) {}

  Value* linear_id() {
    Value* z_row =
        m_build.CreateAdd(ask("__prism_local_id", 1),
                          m_build.CreateMul(ask("__prism_local_size", 1), ask("__prism_local_id", 2)));
    Value* item =
        m_build.CreateAdd(ask("__prism_local_id", 0), m_build.CreateMul(ask("__prism_local_size", 0), z_row));
    return m_build.CreateTrunc(item, m_build.getInt32Ty());
  }
  Value* items() {
    Value* plane = m_build.CreateMul(ask("__prism_local_size", 0), ask("__prism_local_size", 1));
    return m_build.CreateTrunc(m_build.CreateMul(plane, ask("__prism_local_size", 2)), m_build.getInt32Ty());
  }
  Value* number(std::uint32_t value) { return m_build.getInt32(value); }
  Value* wide(Value* bit) { return m_build.CreateZExt(bit, m_build.getInt64Ty()); }

private:
  Value* ask(StringRef name, std::uint32_t dimension) {
    FunctionCallee query = m_module.getOrInsertFunction(
        name, FunctionType::get(m_build.getInt64Ty(), {m_build.getInt32Ty()}, false));
    if (auto* function = dyn_cast<Function>(query.getCallee())) {
      function->setDoesNotAccessMemory();
      function->setDoesNotThrow();
    }
    return m_build.CreateCall(query, {number(dimension)});
  }

  Module& m_module;
  IRBuilder<> m_build;
};

/// The call's result; null for a barrier and for every other function.
Value* answer(CallInst& call, StringRef what) {
  queries ask(call);
  if (what == "local_id") return ask.number(0);
  if (what == "id") return ask.linear_id();
  if (what == "count") return ask.items();
  if (what == "size" || what == "local_size") return ask.number(1);
  if (what == "shuffle_i32" || what == "shuffle_i64") return call.getArgOperand(0);
  if (what == "is_vector") return ConstantInt::getFalse(call.getContext());
  if (what.starts_with("combine_")) {
    const auto how = sub_group_operation::of(call);
    const bool scans_before = how && how->form == sub_group_operation::exclusive_scan;
    return scans_before ? how->identity(call.getType()) : call.getArgOperand(1);
  }
  if (what == "ballot") return ask.wide(call.getArgOperand(0));
  return nullptr;
}

} // namespace

bool make_single_sub_groups(Function& kernel) {
  bool changed = false;
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    StringRef name = callee ? callee->getName() : "";
    if (!name.consume_front("__prism_sub_group_")) continue;
    Value* value = answer(*call, name);
    if (value) call->replaceAllUsesWith(value);
    else if (name != "barrier") continue;
    call->eraseFromParent();
    changed = true;
  }
  return changed;
}

bool make_vector_sub_groups(Function& kernel) {
  const SmallVector<CallInst*> calls = calls_of(kernel, "__prism_sub_group_is_vector");
  for (CallInst* call : calls) {
    call->replaceAllUsesWith(ConstantInt::getTrue(call->getContext()));
    call->eraseFromParent();
  }
  return !calls.empty();
}

} // namespace prism::compiler
