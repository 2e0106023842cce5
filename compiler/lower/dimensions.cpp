// Work-item queries whose dimension is a variable (a loop over dimensions that was not unrolled) become a choice between
// the three: the contract with the emitters (lower/contract.hpp) has constants only.
#include "compiler/lower/passes.hpp"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

void choose_dimensions(Function& kernel) {
  const StringSet<> queries{"__prism_local_id", "__prism_group_id", "__prism_local_size", "__prism_group_count"};
  SmallVector<CallInst*> found;
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && call->getCalledFunction() && queries.contains(call->getCalledFunction()->getName()) &&
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
    Value* chosen = build.CreateSelect(build.CreateICmpEQ(asked, ConstantInt::get(asked->getType(), 1)), answer[1], answer[2]);
    call->replaceAllUsesWith(build.CreateSelect(build.CreateICmpEQ(asked, ConstantInt::get(asked->getType(), 0)), answer[0], chosen));
    call->eraseFromParent();
  }
}

} // namespace prism::compiler
