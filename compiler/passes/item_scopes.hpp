// The two scopes of a hierarchical kernel (sycl/hierarchical.hpp): code that the work-group runs once, and
// between the marks
// __prism_items_begin and __prism_items_end code that each work-item runs; and which memory they access. For
// kernels that are inlined flat. Facts only: nothing here changes what a kernel does.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace prism::compiler {

/// leader: code of the group that only its first work-item runs.
enum class item_scope : std::uint8_t { group, leader, item };

bool calls(const llvm::Instruction& instruction, llvm::StringRef name);

/// Which scope each block is in.
class item_scopes {
public:
  /// Splits blocks, so that a begin ends a block of the group and an end begins one. None for a kernel in
  /// which a block is reached both ways, scopes are nested, a value leaves the scope of the work-items, or
  /// they meet a barrier.
  static std::optional<item_scopes> find(llvm::Function& kernel);

  item_scope of(const llvm::BasicBlock& block) const { return m_scopes.lookup(&block); }
  item_scope of(const llvm::Instruction& instruction) const { return of(*instruction.getParent()); }
  void set(const llvm::BasicBlock& block, item_scope scope) { m_scopes[&block] = scope; }

private:
  llvm::DenseMap<const llvm::BasicBlock*, item_scope> m_scopes;
};

struct memory_access {
  const llvm::Value* pointer; // null: any memory that others can name
  bool reads, writes;
};
/// Accesses of the memory that programs see.
void for_each_access(const llvm::Instruction& instruction,
                     llvm::function_ref<void(const memory_access&)> handle);

/// What a pointer may be based on: variables, arguments, globals, or null for anything else.
llvm::SmallVector<const llvm::Value*, 4> bases_of(const llvm::Value* pointer);

/// Whether the address of the variable is used for more than accesses. Calls of `ignored` do not count.
bool escapes(const llvm::Value& variable, llvm::StringRef ignored);

} // namespace prism::compiler
