// Which values and branches of a kernel are the same for all work-items of a group, or of each sub-group.
#pragma once

#include <memory>

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace prism::compiler {

/// i32 (i1): 0 if no work-item of the group passed true, 3 if all did, else 1. All work-items of the group
/// call it together.
inline constexpr const char* group_any_name = "__prism_group_any";
llvm::CallInst* call_group_any(llvm::IRBuilderBase& build, llvm::Value* passes);

/// Replaces calls of __prism_sub_group_may_be_partial, which asks whether work-items of the sub-group may be
/// missing where it is called. `runs_group`: one thread runs the group; otherwise false. Returns whether
/// there was one.
bool answer_may_be_partial(llvm::Function& kernel, bool runs_group);

/// i1 (i1): its argument, or false on drivers that do not gain from a group's question. Only in front of
/// OpenCL C, whose build options choose.
inline constexpr const char* asks_group_name = "__prism_asks_group";
llvm::CallInst* call_asks_group(llvm::IRBuilderBase& build, llvm::Value* whole);

enum class uniform_in : unsigned char { group, sub_group };

/// LLVM's uniformity analysis. Local ids, sub-group functions and writable memory are its sources of values
/// that differ between work-items. The result holds as long as the function is not changed.
class uniform_values {
public:
  explicit uniform_values(const llvm::Function& kernel, uniform_in scope = uniform_in::group);
  ~uniform_values();
  /// True if the value is the same for all work-items at its definition and at every use.
  bool is_uniform(const llvm::Instruction& value) const;
  bool branches_uniformly(const llvm::BasicBlock& block) const;
  /// Blocks that some work-items may not execute, or may execute in another iteration than others.
  llvm::DenseSet<llvm::BasicBlock*> passed_by_some(llvm::Function& kernel) const;
  /// The same for the two sides of one branch.
  llvm::DenseSet<llvm::BasicBlock*> passed_by_some(llvm::BasicBlock& branch) const;
  /// Where paths of the divergent branch at the end of a block meet.
  llvm::ArrayRef<const llvm::BasicBlock*> meetings_of(const llvm::BasicBlock& branch) const;

private:
  struct analysis;
  std::unique_ptr<analysis> m_analysis;
};

} // namespace prism::compiler
