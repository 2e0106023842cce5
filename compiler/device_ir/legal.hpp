// Checks that a kernel meets the contract of its target.
#pragma once

#include "compiler/support/refusal.hpp"
#include "compiler/support/target.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// The first violation of the contract, as a message to the user; empty if there is none.
refusal find_refusal(llvm::Function& kernel, target where);

} // namespace prism::compiler
