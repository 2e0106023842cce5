// The link step's part: joins the device code of objects and static libraries and builds the kernels that
// waited for it.
#pragma once

#include <functional>

#include "compiler/front/find_kernels.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// `host` is the module of the object that joins the program's others; it gets the table. `list_file` names
/// one input a line, in the linker's order. Problems are errors of this compilation. `build` is called with
/// each kernel, which lies in a module that lives until this function ends.
void link_kernels(llvm::Module& host, const std::string& list_file,
                  const std::function<void(const kernel_entry&)>& build);

} // namespace prism::compiler
