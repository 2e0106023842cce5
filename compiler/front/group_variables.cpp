#include "compiler/front/group_variables.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/xxhash.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_group_variable(const GlobalVariable& variable) {
  auto* type = dyn_cast<StructType>(variable.getValueType());
  return type && type->hasName() && type->getName().contains("::work_group_static");
}

/// Names of functions with internal linkage are those of one file only.
std::uint64_t number_of(const Function& function) {
  std::string name = function.getName().str();
  if (function.hasLocalLinkage()) name += function.getParent()->getSourceFileName();
  return xxh3_64bits(name);
}

} // namespace

void identify_group_variables(Module& module) {
  if (Function* asked = module.getFunction("__prism_enclosing_function"))
    for (User* user : make_early_inc_range(asked->users()))
      if (auto* call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == asked)
        call->replaceAllUsesWith(ConstantInt::get(call->getType(), number_of(*call->getFunction())));
  const std::string file = "." + utohexstr(xxh3_64bits(module.getSourceFileName()));
  for (GlobalVariable& variable : module.globals())
    if (variable.hasLocalLinkage() && is_group_variable(variable))
      variable.setName(variable.getName() + file);
}

} // namespace prism::compiler
