#include "compiler/host/checked_locations.hpp"

#include "compiler/support/diagnose.hpp"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// The function with the check, and the library's own functions between it and the user's.
SmallSetVector<Function*, 16> functions_with_checks(Function& check) {
  SmallSetVector<Function*, 16> found;
  found.insert(&check);
  for (unsigned i = 0; i < found.size(); ++i)
    for (const User* user : found[i]->users())
      if (auto* call = dyn_cast<CallBase>(user);
          call && call->getCalledFunction() == found[i] && !is_in_user_code(*call))
        found.insert(const_cast<Function*>(call->getFunction()));
  return found;
}

} // namespace

void insert_checked_locations(Module& host) {
  Function* check = host.getFunction("__prism_index_is_inside");
  if (!check) return;
  SmallVector<CallBase*> places;
  for (Function* function : functions_with_checks(*check))
    for (User* user : function->users())
      if (auto* call = dyn_cast<CallBase>(user);
          call && call->getCalledFunction() == function && is_in_user_code(*call))
        places.push_back(call);
  for (CallBase* call : places) {
    IRBuilder<> build(call);
    FunctionCallee at = host.getOrInsertFunction("__prism_at", build.getVoidTy(), build.getPtrTy());
    cast<Function>(at.getCallee())->setDoesNotThrow();
    build.CreateCall(at, {build.CreateGlobalString(source_location(user_location(*call)), "prism.place")});
  }
}

} // namespace prism::compiler
