// The link step's part: joins the device code of objects and static libraries and builds the kernels that waited for it.
#pragma once

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// `host` is the module of the object that joins the program's others; it gets the table. `list_file` names one input a
/// line, in the linker's order. Problems are errors of this compilation.
void link_kernels(llvm::Module& host, const std::string& list_file);

} // namespace prism::compiler
