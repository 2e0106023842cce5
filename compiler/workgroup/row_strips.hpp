// Loops over work-items that split an id into a row and a column: `k / width` and `k % width`.
//
// Programs launch pictures and volumes in one dimension, and compute a work-item's row and column by
// division. Work-items of one row access adjacent memory, but LLVM does not find that out, and gathers and
// scatters. The loop is therefore split where a row ends. In each strip the quotient is the same for all
// work-items, and the remainder counts up.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Whether the kernel may gain: it divides an id, and addresses or branches depend on the result.
bool divides_ids(llvm::Function& kernel);

/// Splits the innermost loops over work-items (lanes.hpp) where addresses or branches depend on quotients or
/// remainders. The original loop stays, for ids that wrap around and for short rows. Loops must have
/// preheaders and be in LCSSA form. Returns whether anything changed.
bool split_rows(llvm::Function& function);

} // namespace prism::compiler
