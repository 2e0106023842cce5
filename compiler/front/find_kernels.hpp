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

/// A function that runs as device code, with its name and its captured values in both passes of
/// `prism++ --device-pass` (front/clang/stable_names.cpp).
struct stable_body {
  llvm::Function* function;
  std::string name, captures;
};
std::vector<stable_body> find_stable_bodies(llvm::Module& module);

/// On a declaration that only the device pass has, in place of the annotation.
inline constexpr llvm::StringRef external_attribute = "prism.external";

/// Functions marked SYCL_EXTERNAL, whether defined here or not.
std::vector<llvm::Function*> find_external_functions(llvm::Module& module);

} // namespace prism::compiler
