// Finds the kernels of a module by their annotation "prism.kernel"
// (runtime/include/sycl/detail/kernel_abi.hpp).
#pragma once

#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace prism::compiler {

struct kernel_entry {
  llvm::Function* function; // in the host module; at link time, in the module with all device code
  /// The kernel's key, in the module that gets the table. At link time it is only declared there.
  llvm::GlobalVariable* slot;
  std::uint32_t argument_bytes;
  std::string display_name;
};

/// Kernels whose slot is defined in this module, in the order of their annotations. A kernel whose slot has
/// no use cannot be submitted from this file and is left out.
std::vector<kernel_entry> find_kernels(llvm::Module& module);

/// Functions marked SYCL_EXTERNAL, whether defined here or not.
std::vector<llvm::Function*> find_external_functions(llvm::Module& module);

} // namespace prism::compiler
