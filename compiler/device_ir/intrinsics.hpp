// Lowers LLVM's intrinsics to those that the contract allows: before an emitter, and again after passes that
// an emitter runs itself.
#pragma once

#include "compiler/support/target.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// Lowers all intrinsics except those that contract.hpp allows. Math intrinsics become libm calls.
void lower_intrinsics(llvm::Function& kernel, target where);

/// Computes ctlz, cttz, ctpop, bitreverse and bswap by arithmetic. `keep_native`: leaves those that OpenCL
/// has.
llvm::Value* lower_bit_operation(llvm::CallInst& call, bool keep_native);

} // namespace prism::compiler
