// Identity of work_group_static variables
// (runtime/include/sycl/ext/oneapi/experimental/work_group_static.hpp), while functions still have their
// names.
#pragma once

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Every __prism_enclosing_function becomes a number of the function that calls it. Variables with internal
/// linkage get names that other files' variables do not have: device code of several files is linked by name.
void identify_group_variables(llvm::Module& module);

} // namespace prism::compiler
