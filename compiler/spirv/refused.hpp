// The exception with which the emitter's files report a construct that SPIR-V cannot express. It never leaves
// emit_spirv.
#pragma once

#include <string>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

namespace prism::compiler::spirv {

struct refused {
  std::string text;
  const llvm::DILocation* at = nullptr; // in the user's code; null if unknown
};

/// Throws `refused` with the fault, the instruction and the location in the user's source.
[[noreturn]] void refuse(const llvm::Instruction* at, const std::string& what);

} // namespace prism::compiler::spirv
