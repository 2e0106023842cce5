// LLVM IR -> OpenCL C 1.2 text, one kernel a module.
//
// The module must meet lower/contract.hpp; arguments follow the calling convention in devices/api/image.hpp. Control
// flow is written as it is, with labels and goto. Cost: linear in the function's size.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/lower/contract.hpp"

namespace prism::compiler {

struct opencl_result {
  std::string text;
  std::uint64_t features = 0; // image::feature bits that the text needs
  bool arguments_by_value = false;
  std::string refusal;        // empty when there is a text
};

/// A text that runs a whole work-group (lower/workgroup): image kind opencl_c_group.
struct opencl_group {
  std::uint32_t spill_bytes = 0;
};

opencl_result emit_opencl(const llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts, const opencl_group* group = nullptr);

} // namespace prism::compiler
