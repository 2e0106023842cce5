// Hidden arguments: the data that the runtime appends to the captured values (image::hidden_argument).
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// The offset of a hidden argument. Reuses an equal one, or appends a new one to the block.
std::uint32_t offset_for(kernel_facts& facts, image::hidden_kind what, std::uint32_t bytes,
                         llvm::Constant* key);
/// Records how many bytes a hidden pointer points to.
void set_pointed_bytes(kernel_facts& facts, std::uint32_t place, std::uint32_t bytes);

llvm::Value* address_in_block(llvm::IRBuilder<>& build, llvm::Function& kernel, std::uint32_t offset);

/// Calls of a function, by its name.
llvm::SmallVector<llvm::CallInst*> calls_of(llvm::Function& kernel, llvm::StringRef name);

/// The work-item's global id in one dimension.
llvm::Value* global_id(llvm::IRBuilder<>& build, llvm::Module& module, unsigned dimension);

/// Stores a text at `at`, four bytes each time, with zeros behind its end.
void store_text(llvm::IRBuilder<>& build, llvm::StringRef text, llvm::Value* at);

/// The next multiple of `alignment` from `offset` on.
inline std::uint32_t aligned(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

} // namespace prism::compiler
