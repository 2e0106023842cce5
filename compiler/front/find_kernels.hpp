// Finds the kernels of a module by their annotation "prism.kernel"
// (runtime/include/sycl/detail/kernel_abi.hpp).
#pragma once

#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace prism::compiler {

struct kernel_entry {
  llvm::Function* function; // in the host module, or when linking in the module of all device code
  llvm::GlobalVariable*
      slot; // the kernel's key, in the module that gets the table; when linking only declared there
  std::uint32_t argument_bytes;
  std::string display_name;
};

/// Kernels whose slot is defined in this module, in the order of their annotations. A kernel whose slot
/// nothing refers to cannot be submitted from this file and is left out.
std::vector<kernel_entry> find_kernels(llvm::Module& module);

/// Functions marked SYCL_EXTERNAL, defined here or not.
std::vector<llvm::Function*> find_external_functions(llvm::Module& module);

} // namespace prism::compiler
