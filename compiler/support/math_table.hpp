// Which function computes each math operation on each target. This table decides the accuracy of math.
//
// A row is a libm name. Kernels reach it as a call of that name or as an LLVM intrinsic with the same
// meaning. Earlier passes turn both into a call of the libm name before the table is read. If a target has
// the function with the accuracy that SYCL requires, the row is `native` (for OpenCL the table gives the
// built-in's name). Otherwise the call is replaced by `__prism_builtin_<libm name>` of compiler/builtins.
#pragma once

#include <optional>

#include "compiler/support/target.hpp"
#include "llvm/ADT/StringRef.h"

namespace prism::compiler {

/// Maps an operation of the math library to an OpenCL C expression.
struct math_entry {
  const char* name;   // libm name
  const char* opencl; // OpenCL C built-in with the same arguments and result, or null
  bool vulkan_native; // the SPIR-V emitter accepts a call of this name
};

/// The row of a libm function, or null if `name` is not a function of the math library.
const math_entry* find_math(llvm::StringRef name);

/// Whether the row is one of <cstring>'s functions, which read memory.
bool is_memory_function(llvm::StringRef name);

/// True if calls of `name` remain calls in the module that the emitter of `where` receives.
bool is_native_math(llvm::StringRef name, target where);
/// fma of doubles or floats, which SPIR-V has for devices with image::fused_multiply_add.
inline bool is_fused_multiply_add(llvm::StringRef name) { return name == "fma" || name == "fmaf"; }

} // namespace prism::compiler
