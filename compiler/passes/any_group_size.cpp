// Finds kernels whose results cannot depend on the size of the work-groups. A kernel that uses only (group id
// x local size + local id) and (group count x local size) uses global numbers only.
#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// The dimension that a call of this function queries.
std::optional<std::uint64_t> asked(const Value* value, StringRef name) {
  auto* call = dyn_cast<CallInst>(value);
  auto* dimension = call && call->getCalledFunction() && call->getCalledFunction()->getName() == name
                        ? dyn_cast<ConstantInt>(call->getArgOperand(0))
                        : nullptr;
  return dimension ? std::optional(dimension->getZExtValue()) : std::nullopt;
}

/// Whether the value is `value` x local size, both of one dimension.
bool is_scaled(const Value* value, StringRef name, std::uint64_t dimension) {
  auto* product = dyn_cast<BinaryOperator>(value);
  if (!product || product->getOpcode() != Instruction::Mul) return false;
  const Value *one = product->getOperand(0), *other = product->getOperand(1);
  return (asked(one, name) == dimension && asked(other, "__prism_local_size") == dimension) ||
         (asked(other, name) == dimension && asked(one, "__prism_local_size") == dimension);
}

bool makes_global_number(const User* user, StringRef query, std::uint64_t dimension) {
  auto* instruction = cast<Instruction>(user);
  const auto sums = [&](const Value* scaled, const Value* id) {
    return is_scaled(scaled, "__prism_group_id", dimension) && asked(id, "__prism_local_id") == dimension;
  };
  const auto is_number = [&](const User* sum) {
    auto* add = dyn_cast<BinaryOperator>(sum);
    return add && add->getOpcode() == Instruction::Add &&
           (sums(add->getOperand(0), add->getOperand(1)) || sums(add->getOperand(1), add->getOperand(0)));
  };
  if (query == "__prism_local_id") return is_number(instruction);
  if (is_scaled(instruction, "__prism_group_count", dimension)) return query != "__prism_group_id";
  return is_scaled(instruction, "__prism_group_id", dimension) && query != "__prism_group_count" &&
         all_of(instruction->users(), is_number);
}

} // namespace

bool takes_any_group_size(Function& kernel) {
  for (const Instruction& instruction : instructions(kernel)) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || isa<IntrinsicInst>(call)) continue;
    const StringRef name = callee->getName();
    if (name.starts_with("__prism_sub_group_") || name == "__prism_barrier" ||
        name == "__prism_local_arena" || name == "__prism_group_scratch")
      return false;
    for (StringRef query :
         {"__prism_local_id", "__prism_group_id", "__prism_local_size", "__prism_group_count"}) {
      if (name != query) continue;
      const auto dimension = asked(call, query);
      if (!dimension || !all_of(call->users(), [&](const User* user) {
        return makes_global_number(user, query, *dimension);
      }))
        return false;
    }
  }
  return true;
}

} // namespace prism::compiler
