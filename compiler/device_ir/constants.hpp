// Captured integers that a kernel may be built again for, and what keeps its floating-point results the same
// bits then: see devices/api/kernel_constants.hpp.
//
// An integer that becomes known makes other values known: loops are unrolled, and what was a number of the
// run is a constant of the driver's compiler. Integers come out the same. Floating-point numbers may not:
// drivers on llvmpipe take x + 0 for x, flush denormals at one time and not at the other, compute functions
// by the host's library, and contract x * y + z as they like.
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Fills facts.constants, after its slots. `kernel` is inlined and its captured loads are marked.
void find_constants(const llvm::Function& kernel, kernel_facts& facts);

/// Whether it computes with floating-point numbers (moving and comparing them is none).
bool computes_with_floats(const llvm::Function& kernel);
/// Whether it has multiply-adds that the driver may contract or not.
bool may_be_contracted(const llvm::Function& kernel);
/// Whether floating-point numbers that may become known reach functions that are not exact.
bool folds_functions(const llvm::Function& kernel);

/// For Vulkan: every floating-point number that could become known when integers do (constants that are
/// merged, chosen between or kept, and what is made of integers) is combined with a zero that the driver
/// cannot see through (`unseen_zero_name`). The zero is plain where the module is not built for known values,
/// so such modules are as fast as before. After all passes that combine instructions.
void hide_constant_floats(llvm::Function& kernel);

inline constexpr const char* unseen_zero_name = "__prism_unseen_zero"; // i32 ()

} // namespace prism::compiler
