// LLVM IR -> Vulkan SPIR-V, one kernel per module.
//
// The module must meet device_ir/contract.hpp. The image follows the calling convention in
// devices/api/image.hpp: one GLCompute entry named `facts.entry`, SPIR-V 1.5, Vulkan memory model,
// PhysicalStorageBuffer64, no descriptor sets. For a construct that the target cannot express, `refusal`
// names the construct and the user's line, and `words` is empty. Cost: linear in the function's size, apart
// from the dominator updates of structuring. As thread-safe as the LLVMContext.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/device_ir/contract.hpp"
#include "compiler/device_ir/element_wise.hpp"
#include "compiler/support/refusal.hpp"

namespace prism::compiler {

struct spirv_result {
  std::vector<std::uint32_t> words;
  std::uint64_t features = 0;               // image::feature bits that the image needs
  std::uint32_t local_element_bytes = 1;    // element size of the workgroup arena; 1 if the kernel has none
  std::string refusal;                      // empty if there is an image
  std::vector<image::element_place> places; // of its accesses to memory
  const llvm::DILocation* refused_at = nullptr; // in the user's source; null if unknown
};

/// Uses up the body of `kernel`: its control flow is restructured. `float_adds`: atomic additions of floats
/// in global memory are the device's own (image::float_atomic_add), not loops.
spirv_result emit_spirv(llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                        const element_facts* elements = nullptr, bool float_adds = false);

} // namespace prism::compiler
