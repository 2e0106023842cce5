// Clones a kernel and all it can reach out of the host module, made ready for a device: host-only attributes
// gone, exceptions' unwinding removed, everything internal and to be inlined.
#pragma once

#include <memory>

#include "compiler/front/find_kernels.hpp"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalValue.h"

namespace prism::compiler {

using reachable_set = llvm::SmallSetVector<const llvm::GlobalValue*, 32>;

/// Everything that a function refers to, itself first; constants are followed (a vtable leads to its
/// functions), mutable globals are not.
reachable_set reachable_from(const llvm::Function& function);

/// The clone shares the context of the kernel's module and leaves that module as it is. The kernel's function
/// in it is named `entry`. Functions only declared stay declarations.
std::unique_ptr<llvm::Module> extract_kernel(const kernel_entry& kernel, const std::string& entry);

/// Makes small functions, those of PRISM's headers and those that one place calls ready to be inlined into
/// the others, `roots` among them, which keep their linkage. For code whose callees in other files are not
/// known yet: calls of those may hold barriers.
void prepare_to_inline_small(llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_root);

/// The same treatment for functions that were linked in later (the math library): all but the kernel.
void make_linked_functions_internal(llvm::Module& module, const llvm::Function& kernel);

} // namespace prism::compiler
