// Finds loads and stores that one vector access can replace: two or four adjacent numbers of
// one size, together at most 16 bytes, at an address that is a multiple of their total size. Earlier passes
// have made scalars of C++ vectors (device_ir/contract.hpp), so this pass restores the vector accesses.
//
// The vector load executes in place of the first scalar load, the vector store in place of the last scalar
// store. So no instruction between them may write this memory, or for a store read it. An access at a
// constant distance from the same base is compared exactly. All other addresses may overlap; atomic
// operations, volatile accesses, barriers and calls always do. A vector access has the bytes of its scalars.
//
// The reason in SPIR-V: llvmpipe translates the address of a vector access once. `y[i] = a * x[i] + y[i]` of
// float4 takes half of the time there. Two 64-bit numbers become one access of four words only if the kernel
// copies them, which takes 0.7 of the time. If the kernel computes with them, llvmpipe would take 1.1 of the
// time. In OpenCL C: Intel's driver for processors gathers and scatters scalars that have a stride.
//
// Cost: linear in the kernel, times the logarithm of the number of its addresses.
#pragma once

#include <cstdint>
#include <deque>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace prism::compiler {

struct wide_access {
  llvm::SmallVector<const llvm::Instruction*, 4> parts; // by ascending address
  const llvm::Instruction* place = nullptr;             // the part at which all execute
  std::uint32_t bytes = 0;                              // of one part
  /// Of a store: the load whose parts it stores in their order, if nothing else uses them.
  const wide_access* moved = nullptr;
  bool is_moved = false; // of a load: all uses of its parts are such stores
};

/// Which 64-bit numbers become one access.
enum class wide_numbers : unsigned char { copied, all };

class wide_accesses {
public:
  wide_accesses() = default; // joins nothing
  /// `is_joined`: whether accesses by a pointer may be parts. All others are to memory that those do not
  /// overlap.
  wide_accesses(const llvm::Function& kernel, llvm::function_ref<bool(const llvm::Value*)> is_joined,
                const llvm::DataLayout& layout, wide_numbers numbers);

  /// The joined access that the load or store is a part of; null if it stays as it is.
  const wide_access* of(const llvm::Instruction& access) const;

private:
  void find_moves();
  void leave_wide_numbers();
  friend class joiner;
  std::deque<wide_access> m_all;
  llvm::DenseMap<const llvm::Instruction*, const wide_access*> m_of;
};

} // namespace prism::compiler
