// Versions of loops: a copy of a loop for the case that a condition, which is known before the loop, holds.
//
// In the copy, loops that execute once in that case have no jump back.
#pragma once

#include "compiler/device_ir/loop_facts.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {

/// Computes, in front of a loop, the value that an instruction of the loop has in its first iteration.
class first_iteration {
public:
  first_iteration(llvm::Function& kernel, const llvm::DominatorTree& dominators, llvm::Instruction& place)
      : m_kernel(kernel), m_dominators(dominators), m_place(place) {}
  /// The value in the first iteration of `loop`. Null if it cannot be computed at the place; then remove()
  /// removes what was added.
  llvm::Value* of(llvm::Value& value, const llvm::Loop& loop);
  void remove();

private:
  bool may_execute_early(const llvm::Instruction& instruction) const;

  llvm::Function& m_kernel;
  const llvm::DominatorTree& m_dominators;
  llvm::Instruction& m_place;
  llvm::DenseMap<llvm::Instruction*, llvm::Value*> m_known;
  llvm::SmallVector<llvm::Instruction*> m_added;
};

/// Whether the loop is small enough for a copy, and in the form that loop-simplify leaves, without convergent
/// calls.
bool may_copy_loop(const llvm::Loop& loop);

/// A loop and its copy. The function must be in LCSSA form.
class loop_version {
public:
  /// Copies the loop; the copy executes if `condition`, an i1 at the end of the loop's preheader, is true.
  loop_version(llvm::Loop& loop, llvm::Value& condition, loop_facts& facts, const char* suffix);
  /// The block in front of the copy, and the one in front of the loop.
  llvm::BasicBlock* copy() const { return m_copy; }
  llvm::BasicBlock* original() const { return m_original; }
  /// Removes the jump back from the copy of a loop.
  void end_after_first(const llvm::Loop& loop);

private:
  llvm::ValueToValueMapTy m_map;
  llvm::BasicBlock *m_copy = nullptr, *m_original = nullptr;
};

} // namespace prism::compiler
