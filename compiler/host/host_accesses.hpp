// Reports the accesses of the program's host code, for `--check=access`. A call of __prism_host_access is
// inserted before each load, store and memcpy-like intrinsic whose memory may be a device's too. Kernels, and
// all functions that they call, stay as they are. If a function is used by both, or other files may share it
// by name, a copy that only host code calls is instrumented.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {

using function_set = llvm::SmallPtrSet<llvm::Function*, 32>;

/// The functions and everything that they refer to, within this module.
function_set reachable_from(llvm::ArrayRef<llvm::Function*> roots);

/// Instruments the functions of the user's files, and library templates that they call from a known location.
/// Excluded: atomic and volatile accesses, PRISM's own headers, constants, and variables to which no other
/// code can have a pointer. `device_code`: reachable from kernels.
void check_host_accesses(llvm::Module& host, const function_set& device_code);

} // namespace prism::compiler
