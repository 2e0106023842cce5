// Loops over work-items that split an id into a row and a column: `k / width` and `k % width`.
//
// Programs launch pictures and volumes in one dimension and compute a work-item's place. Work-items of one
// row are neighbours, but LLVM sees quotients and remainders, for which it gathers and scatters. The loop is
// therefore cut where a row ends. In each strip the quotient is the same for all work-items, and the
// remainder counts up.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether the kernel may gain: it divides an id, and addresses or branches depend on the result.
bool divides_ids(llvm::Function& kernel);

/// Cuts the innermost loops over work-items (lanes.hpp) where addresses or branches depend on quotients or
/// remainders. The uncut loop stays, for ids that wrap around and for short rows. Loops must have preheaders
/// and be in LCSSA form. Returns whether anything changed.
bool split_rows(llvm::Function& function);

} // namespace prism::compiler
