// The two scopes of a hierarchical kernel (sycl/hierarchical.hpp), and the memory that they access. The
// work-group executes code of group scope once. Each work-item executes code between the marks
// __prism_items_begin and __prism_items_end. For kernels that are inlined completely. This file only
// analyses: it does not change what a kernel does.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace prism::compiler {

/// leader: code of the group that only its first work-item executes.
enum class item_scope : std::uint8_t { group, leader, item };

bool calls(const llvm::Instruction& instruction, llvm::StringRef name);

/// The scope of each block.
class item_scopes {
public:
  /// Splits blocks, so that a start mark ends a block of the group and an end mark begins one. Empty for a
  /// kernel in which a block can be reached in both scopes, scopes are nested, a value leaves the scope of
  /// the work-items, or work-items call a barrier.
  static std::optional<item_scopes> find(llvm::Function& kernel);

  item_scope of(const llvm::BasicBlock& block) const { return m_scopes.lookup(&block); }
  item_scope of(const llvm::Instruction& instruction) const { return of(*instruction.getParent()); }
  void set(const llvm::BasicBlock& block, item_scope scope) { m_scopes[&block] = scope; }

private:
  llvm::DenseMap<const llvm::BasicBlock*, item_scope> m_scopes;
};

struct memory_access {
  const llvm::Value* pointer; // null: any memory that others can access
  bool reads, writes;
};
/// Calls the function for all visible accesses to memory.
void for_each_access(const llvm::Instruction& instruction,
                     llvm::function_ref<void(const memory_access&)> handle);

/// The bases that a pointer may derive from: variables, arguments, globals; null for anything else.
llvm::SmallVector<const llvm::Value*, 4> bases_of(const llvm::Value* pointer);

/// Whether the variable's address is used for more than accesses. Calls of `ignored` do not count.
bool escapes(const llvm::Value& variable, llvm::StringRef ignored);

} // namespace prism::compiler
