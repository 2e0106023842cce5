// Links the device math library into one target's copy of a kernel. The library is the bitcode of
// compiler/builtins, which the plugin contains.
#pragma once

#include <string>

#include "compiler/device_ir/contract.hpp"
#include "compiler/passes/pipeline.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Replaces every call of a math function that is not native on `where` by its __prism_builtin_ function.
/// Links the bodies in and marks them for inlining. Returns whether it linked anything. A function that the
/// library lacks stays as it is, and the check for legality reports it.
bool link_builtins(llvm::Module& module, const llvm::Function& kernel, target where,
                   number_form form = number_form::native);

/// The same for the functions that access memory (is_memory_function), which no target has: before the
/// kernel's pointers are followed.
bool link_memory_functions(llvm::Module& module, const llvm::Function& kernel);

/// Whether the library has a function of this name.
bool library_has(llvm::LLVMContext& context, llvm::StringRef name);

/// Links the library's functions that a module declares. Those whose name begins with `prefix` become
/// internal.
void link_declared(llvm::Module& module, llvm::StringRef prefix);

/// The name of the library's form of a libm function for loops over work-items (builtins/lane_functions.cpp);
/// empty if it has none.
std::string lane_function(llvm::LLVMContext& context, llvm::StringRef libm);

/// The same for drivers whose compilers make vectors of loops without calls. The sine, cosine and tangent of
/// doubles have none: they would take longer than the driver's.
std::string lane_function_without_call(llvm::LLVMContext& context, llvm::StringRef libm);

/// In a work-group function for such a driver: replaces calls of functions that have such a form. What this
/// form leaves to the mathematical library is computed by the library's own functions. Returns whether it
/// linked anything, which is then marked for inlining.
bool link_lane_functions(llvm::Module& module, const llvm::Function& kernel);

} // namespace prism::compiler
