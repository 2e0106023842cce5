// One kernel from host IR to its images.
#pragma once

#include <optional>

#include "compiler/lower/pass_runner.hpp"
#include "compiler/plugin/embed.hpp"

namespace prism::compiler {

/// Nothing when the kernel is no legal device code; the errors were reported then.
std::optional<built_kernel> build_kernel(llvm::Module& host, const kernel_entry& kernel, unsigned index, pass_runner& passes);

} // namespace prism::compiler
