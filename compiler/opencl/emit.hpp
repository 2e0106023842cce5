// LLVM IR -> OpenCL C 1.2 text, one kernel per module.
//
// The module must meet device_ir/contract.hpp. Arguments follow the calling convention in
// devices/api/image.hpp. Control flow is written with labels and goto. Cost: linear in the function's size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/device_ir/contract.hpp"
#include "compiler/device_ir/element_wise.hpp"
#include "image_format/source_places.hpp"

namespace prism::compiler {

struct opencl_result {
  std::string text;
  std::uint64_t features = 0; // image::feature bits that the text needs
  bool arguments_by_value = false;
  std::string refusal;       // empty if there is a text
  bool is_reordered = false; // PoCL would reorder accesses to global or local memory (item_order.hpp)
  std::vector<image::element_place> places; // of the text's accesses to global memory
  image_format::text_places lines;          // the program's source lines, after those of the text
};

/// Which image the text is for: opencl_c, one that runs a whole work-group (compiler/workgroup,
/// opencl_c_group), or one with sub-groups (opencl_c_sub_groups).
struct opencl_form {
  bool runs_group = false, has_sub_groups = false;
  std::uint32_t spill_bytes = 0; // with runs_group
};

/// Whether the captured block is an argument passed by value; otherwise it is in memory.
bool passes_by_value(const kernel_facts& facts);

opencl_result emit_opencl(const llvm::Module& module, llvm::Function& kernel, const kernel_facts& facts,
                          const opencl_form& form = {}, const element_facts* elements = nullptr);

} // namespace prism::compiler
