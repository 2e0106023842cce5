// Structured control flow: changes a function so that its control flow can be expressed in SPIR-V, and in any
// other language that has only ifs and loops. Describes the result.
//
// Works on any function without switch, invoke or indirectbr, including irreducible loops and loops without
// an exit. The function still computes the same. Afterwards it has one `ret`, and every conditional branch is
// either a loop's back edge or has a merge block of its own. Cost: linear passes of LLVM, and dominator trees
// that each split updates instead of rebuilding them.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace prism::compiler {

struct structured_header {
  llvm::BasicBlock* merge = nullptr;
  llvm::BasicBlock* continue_target =
      nullptr; // null: a selection; otherwise a loop, whose header this block is
};

struct structured_flow {
  llvm::DenseMap<const llvm::BasicBlock*, structured_header> headers;
  // Reachable blocks: each after its dominators, and a merge block after all blocks of its construct, as
  // compilers of shading languages write them. SPIR-V does not ask for the latter.
  std::vector<llvm::BasicBlock*> order;
  std::string failure; // empty, or the construct that could not be structured
};

structured_flow make_structured(llvm::Function& function);

/// The name of the function that means "false" in the exit edge that endless loops are given: `i1 ()`.
inline constexpr const char* never_name = "__prism_never";

} // namespace prism::compiler
