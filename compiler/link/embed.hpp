// Writes the images and the table of kernels into the host module (devices/api/image.hpp), and the
// constructor and destructor that register them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/front/find_kernels.hpp"
#include "compiler/device_ir/contract.hpp"
#include "compiler/support/refusal.hpp"

namespace prism::compiler {

struct built_image {
  image::kind kind = {};
  std::uint64_t features = 0;
  std::string function{};             // for host_group, in place of bytes: its name in the host module
  std::string bytes{};                // empty: there is none
  prism::compiler::refusal refusal{}; // why there is none
  std::uint32_t sub_group_size = 0, spill_bytes = 0; // of group images
};

struct built_kernel {
  llvm::GlobalVariable* slot;
  kernel_facts facts;
  std::uint32_t flags = 0; // image::flag
  std::uint32_t local_element_bytes = 1;
  std::vector<built_image> images;
};

void embed_kernels(llvm::Module& host, const std::vector<built_kernel>& kernels);

} // namespace prism::compiler
