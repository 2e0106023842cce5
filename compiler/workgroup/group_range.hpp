// The least and the greatest value that a group's work-items have of one expression.
//
// Work-items' numbers are sums: something that all share and small multiples of local ids. So the first
// work-item has the least value and the last the greatest, unless the sum wraps around between the two, which
// the run tells.
#pragma once

#include <optional>

#include "compiler/device_ir/uniform.hpp"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace prism::compiler {

struct group_range {
  llvm::Value *least, *greatest;
  llvm::Value* in_order; // i1: nothing wrapped around, every work-item's value lies between the two
  bool of_global_id;     // the group's id is part of it
};

/// Of an integer of 32 or 64 bits, computed in front of `place`; nothing where it has another form.
std::optional<group_range> range_in_group(llvm::Value& value, bool is_signed, llvm::Instruction& place,
                                          llvm::ScalarEvolution& evolution, const uniform_values& uniform);

/// Whether no work-item computes another value of it, in any round.
bool is_same_for_all(const llvm::SCEV* part, const uniform_values& uniform);

llvm::SCEVExpander expander_for(llvm::ScalarEvolution& evolution, const llvm::Module& module,
                                const char* name);

} // namespace prism::compiler
