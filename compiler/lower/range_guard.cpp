#include "compiler/lower/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

bool lower_range_guards(Function& kernel, bool whole_groups_only) {
  SmallVector<CallInst*> calls;
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_outside")
      calls.push_back(call);
  for (CallInst* call : calls) {
    IRBuilder<> build(call);
    Value* answer = whole_groups_only ? build.getFalse() : build.CreateICmpUGE(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(answer);
    call->eraseFromParent();
  }
  return !calls.empty();
}

} // namespace prism::compiler
