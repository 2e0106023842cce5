// A kernel's wrapper states how many dimensions its launches have. Queries of the other dimensions are then
// constant, and loops over work-items have no loop for them. Queries whose dimension is a variable (a loop
// over dimensions that was not unrolled) become a choice between the three, because the contract with the
// emitters (device_ir/contract.hpp) allows only constants.
#include "compiler/device_ir/dimensions.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr const char* attribute = "prism-dimensions";
constexpr StringRef marker = "__prism_dimensions";

bool asks_size(StringRef name) { return name == "__prism_local_size" || name == "__prism_group_count"; }
bool is_query(StringRef name) {
  return asks_size(name) || name == "__prism_local_id" || name == "__prism_group_id";
}

void answer_unused(Function& kernel) {
  const unsigned used = used_dimensions(kernel);
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !is_query(callee->getName())) continue;
    auto* dimension = dyn_cast<ConstantInt>(call->getArgOperand(0));
    if (!dimension || dimension->getZExtValue() < used) continue;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), asks_size(callee->getName()) ? 1 : 0));
    call->eraseFromParent();
  }
}

} // namespace

unsigned used_dimensions(const Function& kernel) {
  unsigned used = 3;
  if (kernel.hasFnAttribute(attribute))
    kernel.getFnAttribute(attribute).getValueAsString().getAsInteger(10, used);
  return used;
}

void lose_dimension(Function& kernel) {
  const unsigned before = used_dimensions(kernel);
  kernel.removeFnAttr(attribute);
  kernel.addFnAttr(attribute, std::to_string(before - 1));
}

void resolve_dimensions(Function& kernel) {
  std::uint64_t used = 0;
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    auto* call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != marker) continue;
    auto* said = dyn_cast<ConstantInt>(call->getArgOperand(0));
    used = std::max<std::uint64_t>(used, said ? said->getZExtValue() : 3);
    call->eraseFromParent();
  }
  if (used == 0) return;
  kernel.addFnAttr(attribute, std::to_string(used));
  answer_unused(kernel);
}

void choose_dimensions(Function& kernel) {
  SmallVector<CallInst*> found;
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && call->getCalledFunction() &&
                                                       is_query(call->getCalledFunction()->getName()) &&
                                                       !isa<ConstantInt>(call->getArgOperand(0)))
      found.push_back(call);
  for (CallInst* call : found) {
    IRBuilder<> build(call);
    Value* asked = call->getArgOperand(0);
    Value* answer[3];
    for (unsigned d = 0; d < 3; ++d) {
      auto* one = cast<CallInst>(call->clone());
      one->setArgOperand(0, ConstantInt::get(asked->getType(), d));
      answer[d] = build.Insert(one);
    }
    Value* chosen = build.CreateSelect(build.CreateICmpEQ(asked, ConstantInt::get(asked->getType(), 1)),
                                       answer[1], answer[2]);
    call->replaceAllUsesWith(build.CreateSelect(
        build.CreateICmpEQ(asked, ConstantInt::get(asked->getType(), 0)), answer[0], chosen));
    call->eraseFromParent();
  }
  answer_unused(kernel);
}

} // namespace prism::compiler
