// Which function computes what on which target: the one table that accuracy rests on.
//
// A row is a libm name. Kernels reach it as a call of that name or as an LLVM intrinsic that means the same;
// both are normalised to a call of the libm name before the table is asked. A target that has the function
// with the accuracy SYCL asks for is `native` (for OpenCL the table gives the built-in's name); otherwise the
// call is replaced by
// `__prism_builtin_<libm name>` of compiler/builtins.
#pragma once

#include <optional>

#include "compiler/support/target.hpp"
#include "llvm/ADT/StringRef.h"

namespace prism::compiler {

/// How an operation of the math library maps to an OpenCL C expression.
struct math_entry {
  const char* name;   // libm name
  const char* opencl; // OpenCL C built-in of the same arguments and result, or null
  bool vulkan_native; // the SPIR-V emitter knows this name (as a call)
};

/// The row of a libm function, or null when `name` is no function of the math library.
const math_entry* find_math(llvm::StringRef name);

/// Whether a row is one of <cstring>'s functions, which read memory.
bool is_memory_function(llvm::StringRef name);

/// True when calls of `name` stay calls in the module handed to the emitter of `where`.
bool is_native_math(llvm::StringRef name, target where);

} // namespace prism::compiler
