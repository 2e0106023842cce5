// Clones a kernel and all it can reach out of the host module, made ready for a device: host-only attributes gone,
// exceptions' unwinding removed, everything internal and to be inlined.
#pragma once

#include <memory>

#include "compiler/outline/find_kernels.hpp"

namespace prism::compiler {

/// The clone shares the host module's context and leaves the host module as it is. The kernel's function in it is
/// named `entry`. Functions only declared stay declarations.
std::unique_ptr<llvm::Module> extract_kernel(const llvm::Module& host, const kernel_entry& kernel, const std::string& entry);

/// The same treatment for functions that were linked in later (the math library): all but the kernel.
void make_linked_functions_internal(llvm::Module& module, const llvm::Function& kernel);

} // namespace prism::compiler
