// Places in the captured block.
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Offset of a pointer into the captured block, when it is a constant.
inline std::optional<std::uint64_t> captured_offset(const llvm::Value* pointer, const llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (base != kernel.getArg(0) || offset.isNegative()) return std::nullopt;
  return offset.getZExtValue();
}

} // namespace prism::compiler
