// Which pointers into arrays (families.hpp) are needed as numbers of elements, and which as offsets in bytes.
//
// SPIR-V takes the number of an element, LLVM's pointers count bytes. Where every step of an address is a
// whole number of elements the number is added up as such, `(base >> 2) + i` in place of `(base + (i << 2))
// >> 2`: two shifts fewer an access, on every lane of devices that compute in vectors, and one of an
// invariant base is made outside of loops. That is the same number: an aligned access has an aligned base,
// and an index that loses bits when it is scaled names no element of any array.
#pragma once

#include "compiler/spirv/families.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler::spirv {

class element_indices {
public:
  element_indices(const llvm::Function& kernel, const families& all, const llvm::DataLayout& layout);

  /// Whether the number of its element is to be made where the pointer is.
  bool wants_index(const llvm::Value* pointer) const { return m_indexed.contains(pointer); }
  bool wants_bytes(const llvm::Value* pointer) const {
    return !m_indexed.contains(pointer) || m_in_bytes.contains(pointer);
  }
  /// Whether all that `address` adds to its base are whole elements.
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
