// Clones a kernel and everything that it can reach out of the host module, and prepares it for a device:
// removes host-only attributes and the unwinding of exceptions, and makes all functions internal and
// inlinable.
#pragma once

#include <memory>

#include "compiler/front/find_kernels.hpp"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalValue.h"

namespace prism::compiler {

using reachable_set = llvm::SmallSetVector<const llvm::GlobalValue*, 32>;

/// Everything that a function refers to, starting with itself. Constants are followed (a vtable leads to its
/// functions); mutable globals are not.
reachable_set reachable_from(const llvm::Function& function);

/// The clone has the context of the kernel's module, which stays unchanged. In the clone the kernel's
/// function is named `entry`. Functions that are only declared stay declarations.
std::unique_ptr<llvm::Module> extract_kernel(const kernel_entry& kernel, const std::string& entry);

/// Prepares functions for inlining into others: small ones, those of PRISM's headers, and those with one
/// call. Functions in `roots` keep their linkage. Used where the callees of other files are not known yet:
/// their calls may contain barriers.
void prepare_to_inline_small(llvm::Module& module, llvm::function_ref<bool(const llvm::Function&)> is_root);

/// The same preparation for functions that were linked in later (the math library): all but the kernel.
void make_linked_functions_internal(llvm::Module& module, const llvm::Function& kernel);

} // namespace prism::compiler
