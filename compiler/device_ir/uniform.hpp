// Which values and branches of a kernel are the same for all work-items of a group.
#pragma once

#include <memory>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

/// i32 (i1): 0 when no work-item of the group gave true, 3 when all did, else 1; met by all.
inline constexpr const char* round_name = "__prism_group_any";

/// LLVM's uniformity analysis, told that local ids, sub-group functions and memory that can be written differ
/// between work-items. Holds as long as the function is not changed.
class uniform_values {
public:
  explicit uniform_values(const llvm::Function& kernel);
  ~uniform_values();
  /// The same for all work-items at its definition and at every use.
  bool is_uniform(const llvm::Instruction& value) const;
  bool branches_uniformly(const llvm::BasicBlock& block) const;
  /// Blocks that some work-items of a group may pass by, or meet in other rounds than others.
  llvm::DenseSet<llvm::BasicBlock*> passed_by_some(llvm::Function& kernel) const;

private:
  struct analysis;
  std::unique_ptr<analysis> m_analysis;
};

} // namespace prism::compiler
