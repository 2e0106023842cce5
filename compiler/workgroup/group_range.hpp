// The least and the greatest value of one expression over the work-items of a group.
//
// Ids of work-items are sums of a uniform value and small multiples of local ids. The first work-item
// therefore has the least value and the last one the greatest, unless the sum wraps around between the two.
// The generated code checks that at run time.
#pragma once

#include <optional>

#include "compiler/device_ir/uniform.hpp"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace prism::compiler {

struct group_range {
  llvm::Value *least, *greatest;
  llvm::Value* in_order; // i1: no wrap-around, so every work-item's value is between the two
  bool of_global_id;     // the group's id is part of the value
  /// The local ids in the value with their factors: a work-item's value is the least + the sum of these
  /// products, and of ids times sizes of the group if there are any.
  llvm::SmallVector<std::pair<llvm::CallInst*, std::int64_t>> ids;
  bool multiplies_sizes;
};

/// For an integer of 32 or 64 bits, computed in front of `place`; empty for values of another form.
std::optional<group_range> range_in_group(llvm::Value& value, bool is_signed, llvm::Instruction& place,
                                          llvm::ScalarEvolution& evolution, const uniform_values& uniform);

/// Whether all work-items compute the same value, in all iterations.
bool is_same_for_all(const llvm::SCEV* part, const uniform_values& uniform);

llvm::SCEVExpander expander_for(llvm::ScalarEvolution& evolution, const llvm::Module& module,
                                const char* name);

} // namespace prism::compiler
