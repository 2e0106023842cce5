// Atomic operations that devices lack, as loops around a compare-exchange of the same size, which all have.
#pragma once

#include "llvm/IR/Instructions.h"

namespace llvm {
class IRBuilderBase;
}

namespace prism::compiler {

/// Whether every device has the operation for integers: add, sub, and, or, xor, the minimums and maximums.
bool is_integer_operation(llvm::AtomicRMWInst::BinOp operation);

/// Replaces the operation, also of floating-point numbers and pointers, by a loop. An iteration that fails
/// orders nothing; the one that succeeds has the operation's order.
void expand_to_loop(llvm::AtomicRMWInst& operation);

/// The bits of a value of the same size, and the value of the bits.
llvm::Value* to_integer(llvm::IRBuilderBase& build, llvm::Value* value, llvm::Type* integer);
llvm::Value* from_integer(llvm::IRBuilderBase& build, llvm::Value* bits, llvm::Type* type);

} // namespace prism::compiler
