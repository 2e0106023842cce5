// What host code of the program reads and writes, for `--check=access`: each load, store and memcpy-like
// intrinsic whose memory may be a device's too gets a call of __prism_host_access before it. Kernels, and all
// that they call, stay as they are: functions that both use, or that other files may share by name, are
// instrumented as copies that only host code calls.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {

using function_set = llvm::SmallPtrSet<llvm::Function*, 32>;

/// The functions and all that they refer to, as far as this module has them.
function_set reachable_from(llvm::ArrayRef<llvm::Function*> roots);

/// Instruments the functions of the user's files, and library templates that they call with a place to name.
/// Not looked at: atomic and volatile accesses, PRISM's own headers, variables that nobody else can have a
/// pointer to, constants. `device_code`: reachable from kernels.
void check_host_accesses(llvm::Module& host, const function_set& device_code);

} // namespace prism::compiler
