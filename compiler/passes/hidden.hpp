// Places behind the captured values, for what the runtime appends there (image::hidden_argument).
#pragma once

#include "compiler/device_ir/contract.hpp"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// The place of a hidden argument; an equal one that is there already, or a new one at the end of the block.
std::uint32_t place_for(kernel_facts& facts, image::hidden_kind what, std::uint32_t bytes,
                        llvm::Constant* key);
/// Says of a pointer that has a place how many bytes there are where it points.
void set_pointed_bytes(kernel_facts& facts, std::uint32_t place, std::uint32_t bytes);

llvm::Value* address_in_block(llvm::IRBuilder<>& build, llvm::Function& kernel, std::uint32_t offset);

/// Calls of a function, by its name.
llvm::SmallVector<llvm::CallInst*> calls_of(llvm::Function& kernel, llvm::StringRef name);

/// The work-item's number in one dimension.
llvm::Value* global_id(llvm::IRBuilder<>& build, llvm::Module& module, unsigned dimension);

/// Stores a text at `at`, four bytes each time, with zeros behind its end.
void store_text(llvm::IRBuilder<>& build, llvm::StringRef text, llvm::Value* at);

/// The next multiple of `alignment` from `offset` on.
inline std::uint32_t aligned(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

} // namespace prism::compiler
