// The device math library: bitcode of compiler/builtins, carried inside the plugin, linked into one target's
// clone.
#pragma once

#include <string>

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Replaces every call of a math function that is not native on `where` by its __prism_builtin_ function and
/// links the bodies in, marked for inlining. Returns whether anything was linked; a function that the library
/// lacks is left alone and found by the check for legality.
bool link_builtins(llvm::Module& module, const llvm::Function& kernel, target where);

/// The same for the functions that access memory (is_memory_function), which no target has: before the
/// kernel's pointers are followed.
bool link_memory_functions(llvm::Module& module, const llvm::Function& kernel);

} // namespace prism::compiler
