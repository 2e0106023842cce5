// Accesses of a work-item that a driver may reorder.
//
// PoCL, to at least 3.1, runs work-items as iterations of loops that it marks as parallel. LLVM then moves
// strided accesses past other accesses of the same work-item (device_ir/access_order.hpp). Work-items of two
// dimensions are two loops, and an unrolled inner one makes accesses of one instruction a group. For this
// driver the text has these accesses volatile, which keeps the loop from becoming vectors.
#pragma once

#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

struct moved_accesses {
  llvm::DenseSet<const llvm::Instruction*> all;
  bool beyond_private = false; // one of them is not to a private array
};

/// Cost: the square of the number of loads and stores. In a kernel of more than 400 of them all stores count
/// as moved.
moved_accesses find_moved_accesses(llvm::Function& kernel, const pointer_spaces& spaces);

} // namespace prism::compiler
