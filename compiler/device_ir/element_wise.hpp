// Which kernels work element by element: a conservative proof for those who run several kernels as one
// (devices/api/element_wise.hpp). Everything that is not understood counts as an access anywhere, or refuses
// the kernel.
#pragma once

#include <string>

#include "compiler/device_ir/contract.hpp"
#include "devices/api/element_wise.hpp"
#include "llvm/IR/Instruction.h"

namespace prism::compiler {

struct element_facts {
  std::string refusal; // empty: the kernel may be joined
  bool narrow = false;
  std::vector<image::element_slot> slots; // one for each of the record's
  std::vector<image::element_condition> conditions;
};

/// `kernel` as run_shared_pipeline leaves it, with __prism_outside. Changes nothing.
element_facts find_element_facts(llvm::Function& kernel, const kernel_facts& facts);

/// In a kernel that an emitter was handed: the own element that an access to global memory is made to, if
/// that is known to be so in launches in which the conditions of `known` hold.
class element_places {
public:
  element_places(llvm::Function& kernel, const kernel_facts& facts, const element_facts& known);
  image::element_place of(const llvm::Instruction& access) const;

private:
  llvm::Function& m_kernel;
  const kernel_facts& m_facts;
  const element_facts& m_known;
};

/// The bytes of an image of image::element_wise_kind.
std::string element_bytes(const element_facts& facts, const std::vector<image::element_place> (&places)[3]);

} // namespace prism::compiler
