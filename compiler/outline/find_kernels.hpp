// Finds the kernels of a module by their annotation "prism.kernel" (runtime/include/sycl/detail/kernel_abi.hpp).
#pragma once

#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace prism::compiler {

struct kernel_entry {
  llvm::Function* function;      // in the host module
  llvm::GlobalVariable* slot;    // the kernel's key, defined in the same module
  std::uint32_t argument_bytes;
  std::string display_name;
};

/// Kernels whose slot is defined in this module, in the order of their annotations. A kernel whose slot nothing
/// refers to cannot be submitted from this file and is left out.
std::vector<kernel_entry> find_kernels(llvm::Module& module);

} // namespace prism::compiler
