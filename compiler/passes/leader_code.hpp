// Code at work-group scope of a hierarchical kernel that only the first work-item of the group may execute:
// loops, and operations with effects. Every work-item executes the other code of that scope with the same
// values. Its control flow is then the same for all, and may contain barriers.
#pragma once

#include "compiler/passes/item_scopes.hpp"
#include "llvm/ADT/SmallPtrSet.h"

namespace prism::compiler {

/// Variables (allocas) that exist once per group. Each work-item has its own copy of all others.
using group_variables = llvm::SmallPtrSet<const llvm::AllocaInst*, 16>;

/// Makes loops of the group leader code; values that leave a loop go through variables. The kernel must be in
/// loop-simplify and LCSSA form. False if a loop has no such form; the kernel is then unusable.
bool make_loops_leader_code(llvm::Function& kernel, item_scopes& scopes, llvm::Value& is_leader);

/// Makes operations with effects on memory other than a work-item's own variables leader code.
void make_effects_leader_code(llvm::Function& kernel, item_scopes& scopes, const group_variables& shared,
                              llvm::Value& is_leader);

} // namespace prism::compiler
