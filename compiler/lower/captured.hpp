// Places in the captured block.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Offset of a pointer into the captured block, when it is a constant.
std::optional<std::uint64_t> captured_offset(const llvm::Value* pointer, const llvm::Function& kernel);

} // namespace prism::compiler
