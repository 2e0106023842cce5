// The link step: links the device code of objects and libraries, and builds the kernels that depend on it. A
// shared library also gets the functions that it exports to kernels of other programs.
#pragma once

#include <functional>

#include "compiler/front/find_kernels.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// `host`: the module of the object that is added to the program; it receives the table. `list_file` names
/// one input per line, in the linker's order. Problems are errors of this compilation. `build` is called for
/// each kernel; the kernel's module lives until this function returns.
void link_kernels(llvm::Module& host, const std::string& list_file,
                  const std::function<void(const kernel_entry&)>& build);

} // namespace prism::compiler
