// The captured block: places in it, and loads from it.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Offset of a pointer into the captured block, when it is a constant.
inline std::optional<std::uint64_t> captured_offset(const llvm::Value* pointer,
                                                    const llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (base != kernel.getArg(0) || offset.isNegative()) return std::nullopt;
  return offset.getZExtValue();
}

/// Loads from the captured block are invariant; words read as pointers are loaded as pointers.
void mark_captured_loads(llvm::Function& kernel);
/// The first captured values that a kernel loads are loaded at its begin: there all work-items run, and
/// devices that run them in vectors (llvmpipe) keep such a value as one number, not as one for each lane.
void load_captured_values_first(llvm::Function& kernel);
/// Fills slots and needs_addresses.
void find_pointer_slots(llvm::Function& kernel, kernel_facts& facts);

} // namespace prism::compiler
