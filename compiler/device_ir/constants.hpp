// Captured integers for which a kernel may be built again as constants, and the measures that keep its
// floating-point results bit-identical in such builds. See devices/api/kernel_constants.hpp.
//
// A known integer makes other values known: loops are unrolled, and values that were computed at run time are
// computed by the driver's compiler. Integer results stay the same. Floating-point results may change:
// drivers on llvmpipe replace x + 0 by x, flush denormals in one case and not in the other, evaluate
// functions with the host's library, and contract x * y + z at will.
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Fills facts.constants; facts.slots must be filled. `kernel` must be inlined and its captured loads marked.
void find_constants(const llvm::Function& kernel, kernel_facts& facts);

/// Whether the kernel does floating-point arithmetic. Moves and comparisons do not count.
bool computes_with_floats(const llvm::Function& kernel);
/// Whether a processor's fused multiply-add may do the operation together with another one.
bool permits_contraction(const llvm::Instruction& instruction);
/// Whether the kernel has multiply-adds that the driver is free to contract.
bool may_be_contracted(const llvm::Function& kernel);
/// Whether floating-point numbers that may become known are arguments of functions that are not exact.
bool folds_functions(const llvm::Function& kernel);

/// For Vulkan. Some floating-point constants may become known operands once integers are known: those that
/// are merged, selected or stored, and those that are made of integers. Each is combined with a zero that the
/// driver's compiler cannot see (`unseen_zero_name`). In a module that is not built for known values the zero
/// is a plain constant, so that such modules lose no speed. Must run after all passes that combine
/// instructions.
void hide_constant_floats(llvm::Function& kernel);

inline constexpr const char* unseen_zero_name = "__prism_unseen_zero"; // i32 ()

} // namespace prism::compiler
