// What runs between two cuts, and which values live across them.
#pragma once

#include <vector>

#include "compiler/workgroup/cuts.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace prism::compiler {

/// The blocks that run after a cut before the next one; `blocks` begins with the cut's own.
struct region {
  llvm::SetVector<llvm::BasicBlock*> blocks;
  llvm::SmallVector<unsigned> exits; // indices of cuts, ascending; the number of cuts is the kernel's end
  bool agrees = true;                // all work-items are known to leave to the same exit
};

class region_map {
public:
  region_map(llvm::Function& kernel, const std::vector<cut>& cuts, const uniform_values& uniform);

  const region& of(unsigned cut) const { return m_regions[cut]; }
  unsigned end() const { return static_cast<unsigned>(m_cuts.size()); }
  /// The cut that starts with this block, or nothing.
  const unsigned* cut_at(const llvm::BasicBlock* block) const;
  /// Instructions whose values are needed after the cut and were computed before it, in the function's order.
  /// The arguments of the cut's own call count.
  const llvm::SetVector<llvm::Instruction*>& live_at(unsigned cut) const { return m_live[cut]; }
  /// Allocas whose contents may be needed after the cut.
  const llvm::SetVector<llvm::Instruction*>& arrays_at(unsigned cut) const { return m_arrays[cut]; }

private:
  void find_region(unsigned cut);
  bool leaves_together(const region& found, const uniform_values& uniform) const;
  void find_live_values(llvm::Function& kernel);
  void walk_back(llvm::Instruction& value, llvm::BasicBlock* from, llvm::DenseSet<llvm::BasicBlock*>& seen);
  void find_live_arrays(llvm::Function& kernel);

  const std::vector<cut>& m_cuts;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_at;
  std::vector<region> m_regions;
  std::vector<llvm::SetVector<llvm::Instruction*>> m_live, m_arrays;
};

} // namespace prism::compiler
