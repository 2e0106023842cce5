// The captured block: offsets of pointers into it, and loads from it.
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

/// A load from the captured block, which is valid for every work-item anywhere in the kernel; only its
/// alignment is unknown.
bool reads_captured(const llvm::Instruction& instruction, const llvm::Function& kernel);
/// Queries of ids and sizes, for example, which every work-item may make anywhere.
bool is_query(const llvm::Instruction& instruction);
/// Marks loads from the captured block as invariant. Words that are used as pointers are then loaded as
/// pointers.
void mark_captured_loads(llvm::Function& kernel);
/// Moves the first loads of captured values to the kernel's entry, which all work-items execute. Devices that
/// run work-items in vectors (llvmpipe) then keep such a value as one scalar instead of one value per lane.
void load_captured_values_first(llvm::Function& kernel);
/// Fills `slots` and `needs_addresses` of `facts`.
void find_pointer_slots(llvm::Function& kernel, kernel_facts& facts);

} // namespace prism::compiler
