// Builds the images of kernels from host IR.
#pragma once

#include <vector>

#include "compiler/host/native.hpp"
#include "compiler/support/pass_runner.hpp"
#include "compiler/link/embed.hpp"

namespace prism::compiler {

/// The kernels of one host module.
class kernel_builder {
public:
  explicit kernel_builder(llvm::Module& host) : m_host(host), m_groups(host) {}
  /// Builds the kernel's images. A kernel with errors is left out, and its errors are reported.
  void add(const kernel_entry& kernel);
  /// Writes the images, the table and the native functions of all kernels into the host module.
  void finish();

private:
  llvm::Module& m_host;
  native_groups m_groups;
  pass_runner m_passes;
  std::vector<built_kernel> m_built;
};

} // namespace prism::compiler
