// Inserts barriers into a divided hierarchical kernel. A barrier is needed wherever one work-item may access
// a location that another one has written since the last barrier, or write one that another one has accessed.
// The pass inserts only those: none for a kernel with one parallel_for_work_item.
#pragma once

#include "compiler/passes/leader_code.hpp"

namespace prism::compiler {

void put_barriers(llvm::Function& kernel, const item_scopes& scopes, const group_variables& shared);

} // namespace prism::compiler
