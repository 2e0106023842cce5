// How the emitter's parts say that a construct cannot be expressed. Never leaves emit_spirv.
#pragma once

#include <string>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

namespace prism::compiler::spirv {

struct refused {
  std::string text;
  const llvm::DILocation* at = nullptr; // of the user's code, when known
};

/// Throws `refused`: what is wrong, the instruction, and where in the user's source.
[[noreturn]] void refuse(const llvm::Instruction* at, const std::string& what);

} // namespace prism::compiler::spirv
