// Whether a kernel keeps the contract of its target.
#pragma once

#include "compiler/support/refusal.hpp"
#include "compiler/support/target.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// The first breach of the contract, if any, in words for the user.
refusal find_refusal(llvm::Function& kernel, target where);

} // namespace prism::compiler
