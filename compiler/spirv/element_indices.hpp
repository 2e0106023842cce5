// Decides which pointers into arrays (families.hpp) are needed as element indices, and which as byte offsets.
//
// SPIR-V takes an element's index, but LLVM's pointers count bytes. If every step of an address is a whole
// number of elements, the index is computed directly: `(base >> 2) + i` instead of `(base + (i << 2)) >> 2`.
// That saves two shifts per access, on every lane of devices that compute in vectors, and the shift of an
// invariant base moves out of loops. The result is the same: an aligned access has an aligned base, and an
// index that loses bits when it is scaled is outside of every array.
#pragma once

#include "compiler/spirv/families.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler::spirv {

class element_indices {
public:
  element_indices(const llvm::Function& kernel, const families& all, const llvm::DataLayout& layout);

  /// Whether the element's index is computed where the pointer is computed.
  bool wants_index(const llvm::Value* pointer) const { return m_indexed.contains(pointer); }
  bool wants_bytes(const llvm::Value* pointer) const {
    return !m_indexed.contains(pointer) || m_in_bytes.contains(pointer);
  }
  /// Whether `address` adds only whole elements to its base.
  bool steps_by_elements(const llvm::GEPOperator& address) const;

private:
  bool takes_whole_elements(const llvm::Instruction& access, const llvm::Value* pointer) const;
  void want(const llvm::Value* pointer);
  bool asks_for_bytes(const llvm::Use& use) const;

  const families& m_families;
  const llvm::DataLayout& m_layout;
  llvm::DenseSet<const llvm::Value*> m_indexed, m_in_bytes;
};

} // namespace prism::compiler::spirv
