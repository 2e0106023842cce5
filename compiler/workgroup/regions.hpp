// Regions, which are the code between synchronization points, and the values that live across these points.
#pragma once

#include <vector>

#include "compiler/workgroup/sync_points.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace prism::compiler {

/// The blocks that execute between a synchronization point and the next; `blocks` begins with the point's
/// own.
struct region {
  llvm::SetVector<llvm::BasicBlock*> blocks;
  /// indices of synchronization points, ascending; their number stands for the kernel's end
  llvm::SmallVector<unsigned> exits;
  bool agrees = true; // whether all work-items are known to leave to the same exit
};

/// Where the work-items of a shuffle store the values that they pass to each other: in one of three arrays
/// of the value's type.
struct exchange_place {
  /// Work-items store their value at the end of the region before the shuffle. Otherwise a separate loop
  /// stores the values, after all work-items have completed that region.
  bool at_exit = false;
  unsigned array = 2;
};

class region_map {
public:
  region_map(llvm::Function& kernel, const std::vector<sync_point>& points, const uniform_values& uniform);

  const region& of(unsigned point) const { return m_regions[point]; }
  unsigned end() const { return static_cast<unsigned>(m_points.size()); }
  /// The synchronization point that starts with this block; null if there is none.
  const unsigned* point_at(const llvm::BasicBlock* block) const;
  const exchange_place& exchange_at(unsigned shuffle) const { return m_exchanges[shuffle]; }
  /// Instructions whose values were computed before the synchronization point and are needed after it, in the
  /// function's order. Arguments of the point's own call are included, but for values that are given at
  /// exits.
  const llvm::SetVector<llvm::Instruction*>& live_at(unsigned point) const { return m_live[point]; }
  /// Allocas whose contents may be needed after the synchronization point.
  const llvm::SetVector<llvm::Instruction*>& arrays_at(unsigned point) const { return m_arrays[point]; }

private:
  void find_region(unsigned point);
  bool leaves_together(const region& found, const uniform_values& uniform) const;
  void choose_exchanges();
  void find_live_values(llvm::Function& kernel);
  bool is_given_at_exit(const llvm::Use& use) const;
  void walk_back(llvm::Instruction& value, llvm::BasicBlock* from, llvm::DenseSet<llvm::BasicBlock*>& seen);
  void find_live_arrays(llvm::Function& kernel);

  const std::vector<sync_point>& m_points;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_at;
  std::vector<region> m_regions;
  std::vector<exchange_place> m_exchanges; // by point
  std::vector<llvm::SetVector<llvm::Instruction*>> m_live, m_arrays;
};

} // namespace prism::compiler
