// Finds the loads of global memory, and the stores to it, that one access of a vector can do: two or four
// numbers of one size that lie side by side, together at most 16 bytes, at an address that is a multiple of
// these bytes. Vectors of C++ have become scalar before (device_ir/contract.hpp).
//
// All parts of a load execute where the first one stood, all parts of a store where the last one stood. So
// between them nothing may write, or for a store also read, memory that may be theirs: another address than a
// constant distance from the same base may, atomic operations, volatile accesses, barriers and calls do. The
// vector reads and writes only the bytes of its parts.
//
// Why: `y[i] = a * x[i] + y[i]` of float4 takes half of the time on llvmpipe, which translates an access of a
// vector once and repeats only its last step for each number. Two numbers of 64 bits are joined only if they
// are moved from one place to another, as four words: 0.7 of the time. To compute with them, llvmpipe takes
// 1.1 of the time if they are joined.
//
// Cost: linear in the kernel, times the logarithm of the number of its addresses.
#pragma once

#include <cstdint>
#include <deque>

#include "compiler/spirv/families.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace prism::compiler::spirv {

struct wide_access {
  llvm::SmallVector<const llvm::Instruction*, 4> parts; // by ascending address
  const llvm::Instruction* place = nullptr;             // the part at which all execute
  std::uint32_t bytes = 0;                              // of one part
  /// Of a store: the load whose parts it stores in their order, if nothing else uses them.
  const wide_access* moved = nullptr;
  bool is_moved = false; // of a load: all uses of its parts are such stores
};

class wide_accesses {
public:
  wide_accesses(const llvm::Function& kernel, const families& all, const llvm::DataLayout& layout);

  /// The joined access that the load or store is a part of; null if it stays as it is.
  const wide_access* of(const llvm::Instruction& access) const;

private:
  void find_moves();
  void leave_wide_numbers();
  friend class joiner;
  std::deque<wide_access> m_all;
  llvm::DenseMap<const llvm::Instruction*, const wide_access*> m_of;
};

} // namespace prism::compiler::spirv
