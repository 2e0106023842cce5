// One kernel from host IR to its images.
#pragma once

#include <optional>

#include "compiler/host/native.hpp"
#include "compiler/support/pass_runner.hpp"
#include "compiler/link/embed.hpp"

namespace prism::compiler {

/// `groups` are those of `host`: link() them when all its
/// kernels are built. Nothing when the kernel is no legal device code; the errors were reported then.
std::optional<built_kernel> build_kernel(llvm::Module& host, native_groups& groups, const kernel_entry& kernel, unsigned index, pass_runner& passes);

} // namespace prism::compiler
