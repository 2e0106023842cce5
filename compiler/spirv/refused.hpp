// How the emitter's parts say that a construct cannot be expressed. Never leaves emit_spirv.
#pragma once

#include <string>

#include "llvm/IR/Instruction.h"

namespace prism::compiler::spirv {

struct refused {
  std::string text;
};

/// Throws `refused`: what is wrong, where in the user's source (when known) and the instruction.
[[noreturn]] void refuse(const llvm::Instruction* at, const std::string& what);

} // namespace prism::compiler::spirv
