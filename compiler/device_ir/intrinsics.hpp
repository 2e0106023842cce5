// LLVM's intrinsics as the contract allows them: before an emitter, and again after passes that an emitter
// runs itself.
#pragma once

#include "compiler/support/target.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// all intrinsics but those that contract.hpp keeps. Math intrinsics become libm calls.
void lower_intrinsics(llvm::Function& kernel, target where);

/// ctlz, cttz, ctpop, bitreverse, bswap by arithmetic.
llvm::Value* lower_bit_operation(llvm::CallInst& call, bool keep_native);

} // namespace prism::compiler
