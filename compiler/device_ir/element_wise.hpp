// Finds element-wise kernels, which may be fused with others into one launch, and the bytes that a kernel's
// accesses reach from the ids of its work-items (devices/api/element_wise.hpp). The proof is conservative: an
// address that the analysis does not understand counts as an access to any element, or makes it refuse the
// kernel.
#pragma once

#include <string>

#include "compiler/device_ir/contract.hpp"
#include "devices/api/element_wise.hpp"
#include "llvm/IR/Instruction.h"

namespace prism::compiler {

struct element_facts {
  std::string refusal; // empty: the kernel may be fused
  bool narrow = false;
  std::vector<image::element_slot> slots; // one for each slot of the record
  std::vector<image::element_condition> conditions;
  std::vector<image::element_access> accesses;    // without those of slots that reach anywhere
  std::vector<image::element_index_check> checks; // of the indices of the accesses
  std::vector<image::element_term> terms;
};

/// `kernel` is in the form that run_shared_pipeline leaves, with __prism_outside. It is not changed.
element_facts find_element_facts(llvm::Function& kernel, const kernel_facts& facts);

/// For a kernel in the form that emitters receive: which element an access to global memory uses. The answer
/// is the work-item's own element if that is proved for launches in which the conditions of `known` hold.
class element_places {
public:
  element_places(llvm::Function& kernel, const kernel_facts& facts, const element_facts& known);
  image::element_place of(const llvm::Instruction& access) const;

private:
  image::element_place own_place(const llvm::Instruction& access) const;

  llvm::Function& m_kernel;
  const kernel_facts& m_facts;
  const element_facts& m_known;
};

/// The bytes of an image of image::element_wise_kind.
std::string element_bytes(const element_facts& facts, const std::vector<image::element_place> (&places)[4]);

} // namespace prism::compiler
