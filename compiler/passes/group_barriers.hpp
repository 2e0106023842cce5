// Barriers of a divided hierarchical kernel: wherever one work-item may access what another one has written,
// or write what another one has accessed, since the last barrier. As few as that needs: none for a kernel
// with one parallel_for_work_item.
#pragma once

#include "compiler/passes/leader_code.hpp"

namespace prism::compiler {

void put_barriers(llvm::Function& kernel, const item_scopes& scopes, const group_variables& shared);

} // namespace prism::compiler
