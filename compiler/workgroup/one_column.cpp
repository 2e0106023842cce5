#include "compiler/workgroup/one_column.hpp"

#include "compiler/device_ir/dimensions.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef local_id = "__prism_local_id", local_size = "__prism_local_size";

/// The queried dimension, if the value is such a query.
std::optional<std::uint64_t> dimension_of(const Value& value, StringRef query) {
  auto* call = dyn_cast<CallInst>(&value);
  if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != query)
    return std::nullopt;
  auto* dimension = dyn_cast<ConstantInt>(call->getArgOperand(0));
  return dimension ? std::optional(dimension->getZExtValue()) : std::nullopt;
}

const Value* without_casts(const Value* value) {
  while (auto* cast = dyn_cast<CastInst>(value)) value = cast->getOperand(0);
  return value;
}

/// Whether a product with the size of a group is part of a global or linear id, or of a number of work-items.
bool makes_id_or_count(const Value& size, const BinaryOperator& product) {
  for (const Value* operand : product.operands()) {
    const Value* other = without_casts(operand);
    if (other == &size) continue;
    for (StringRef query :
         {local_id, local_size, StringRef("__prism_group_id"), StringRef("__prism_group_count")})
      if (dimension_of(*other, query)) return true;
    if (auto* sum = dyn_cast<BinaryOperator>(other)) // a linear id of three dimensions
      if (sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Mul) return true;
  }
  return false;
}

bool computes_with(const Value& size, const Value& as) {
  return any_of(as.users(), [&](const User* user) {
    if (isa<CastInst>(user)) return computes_with(size, *user);
    auto* operation = dyn_cast<BinaryOperator>(user);
    return !operation || operation->getOpcode() != Instruction::Mul || !makes_id_or_count(size, *operation);
  });
}

} // namespace

bool expects_one_column(const Function& kernel) {
  if (used_dimensions(kernel) < 2) return false;
  bool has_id = false, has_other_id = false, computes = false;
  for (const Instruction& each : instructions(kernel)) {
    if (const auto dimension = dimension_of(each, local_id)) (*dimension == 0 ? has_id : has_other_id) = true;
    computes |= dimension_of(each, local_size) == 0 && computes_with(each, each);
  }
  return has_other_id && (computes || !has_id);
}

void drop_column(Function& kernel) {
  for (Instruction& each : make_early_inc_range(instructions(kernel)))
    for (StringRef query : {local_id, local_size}) {
      const auto dimension = dimension_of(each, query);
      if (!dimension) continue;
      if (*dimension > 0) {
        auto& call = cast<CallInst>(each);
        call.setArgOperand(0, ConstantInt::get(call.getArgOperand(0)->getType(), *dimension - 1));
        continue;
      }
      each.replaceAllUsesWith(ConstantInt::get(each.getType(), query == local_size ? 1 : 0));
      each.eraseFromParent();
      break;
    }
  lose_dimension(kernel);
}

void ask_launch_sizes(Function& group) {
  for (Instruction& each : instructions(group))
    if (const auto dimension = dimension_of(each, local_size)) {
      auto& call = cast<CallInst>(each);
      call.setArgOperand(0, ConstantInt::get(call.getArgOperand(0)->getType(), *dimension + 1));
    }
}

} // namespace prism::compiler
