// Whether LLVM's vectoriser keeps the order in which one iteration accesses memory.
//
// It moves strided loads up to the first of their group and strided stores down to the last. It checks
// dependences only if it has computed them, and it does not for loops whose accesses are marked as parallel
// (clang 14 to 19): `p[2 * i] = a; s = p[2 * i + k]; p[2 * i + 1] = b;` then loads s before it stores a.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instruction.h"

namespace prism::compiler {

struct ordered_access {
  llvm::Instruction* instruction; // a load or a store
  const llvm::SCEV* address;
  std::uint64_t bytes;
  /// 0: unknown. Memories with different other numbers never overlap.
  unsigned memory;
  bool writes;
  /// The distance between the addresses of adjacent iterations; empty if it is not constant.
  std::optional<std::int64_t> step;
  /// LLVM may put it into a group of accesses that it moves together. LLVM may check at run time that
  /// indices do not wrap; accesses that are adjacent then are in no group, whether or not it checks.
  bool strided;
  /// Several of it may be in one iteration: a loop around it may be unrolled, or the work-items of another
  /// dimension are.
  bool repeats;
};

class access_order {
public:
  /// `header`: of the loop whose iterations are meant; null: an iteration is one call of the function.
  access_order(llvm::ScalarEvolution& evolution, const llvm::BasicBlock* header)
      : m_evolution(evolution), m_header(header) {}

  void add(const ordered_access& access) { m_accesses.push_back(access); }
  std::size_t size() const { return m_accesses.size(); }
  /// The accesses that LLVM may move past an access to the same memory, at most `most` of them. Cost: the
  /// square of the number of accesses.
  llvm::SmallVector<llvm::Instruction*> moved(std::size_t most);

private:
  bool is_moved(const ordered_access& each);
  bool moves_past(const ordered_access& other, const ordered_access& each);
  bool may_group(const ordered_access& a, const ordered_access& b);
  bool may_overlap(const ordered_access& a, const ordered_access& b);
  bool precedes(const ordered_access& first, const ordered_access& second);

  llvm::ScalarEvolution& m_evolution;
  const llvm::BasicBlock* m_header;
  llvm::SmallVector<ordered_access> m_accesses;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::DenseSet<const llvm::BasicBlock*>> m_reached;
};

} // namespace prism::compiler
