// Lowers LLVM's intrinsics to those that the contract allows: before an emitter, and again after passes that
// an emitter runs itself.
#pragma once

#include "compiler/support/target.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"

namespace prism::compiler {

/// Lowers all intrinsics except those that contract.hpp allows. Math intrinsics become libm calls.
void lower_intrinsics(llvm::Function& kernel, target where);

/// The function of the mathematical library, for double, with the meaning of an intrinsic; empty if none.
llvm::StringRef libm_name(llvm::Intrinsic::ID id);

/// Computes ctlz, cttz, ctpop, bitreverse and bswap by arithmetic. `keep_native`: leaves those that OpenCL
/// has.
llvm::Value* lower_bit_operation(llvm::CallInst& call, bool keep_native);

} // namespace prism::compiler
