// Code at work-group scope of a hierarchical kernel that only the first work-item of the group may run:
// loops, and what has an effect that the group has once. All other code of that scope every work-item runs,
// with the same values; its flow is then the same for all, and barriers may stand in it.
#pragma once

#include "compiler/passes/item_scopes.hpp"

namespace prism::compiler {

/// Variables (allocas) that the group has once; others each work-item has for itself.
using group_variables = llvm::SmallPtrSet<const llvm::AllocaInst*, 16>;

/// Loops of the group become the leader's: what leaves one goes through variables. The kernel is in
/// loop-simplify and LCSSA form. False, and the kernel of no use, where a loop has no such form.
bool give_loops_to_leader(llvm::Function& kernel, item_scopes& scopes, llvm::Value& is_leader);

/// What has an effect outside of a work-item's own variables becomes the leader's.
void give_effects_to_leader(llvm::Function& kernel, item_scopes& scopes, const group_variables& shared,
                            llvm::Value& is_leader);

} // namespace prism::compiler
