// Mathematical functions in loops over work-items, in a form of which LLVM makes vectors.
//
// A call such as exp(x) is scalar code for LLVM, and so is the loop that contains it. In loops that may
// become vectors the function's body from compiler/builtins/lane_functions.cpp takes its place. It has no
// branch but one: arguments that it does not cover are left to the mathematical library. LLVM vectorises that
// rare call as a call with a mask of the lanes that need it (the attribute vector-function-abi-variant of the
// vector function ABI). After vectorisation the call with a mask becomes a branch that is taken if any lane
// needs it, and a loop over these lanes.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace prism::compiler {

/// Whether the library has a form for loops over work-items of the function that is called.
bool calls_lane_function(const llvm::CallBase& call);

/// Gives calls of such functions vector_function_mark (workgroup/work_group.hpp).
void mark_lane_functions(llvm::Function& kernel);

/// Whether it is the rare call of such a form.
bool is_rare_call(const llvm::CallBase& call);

/// Whether LLVM can vectorise the loop: an innermost loop with simple accesses and operations that processors
/// have. Any end other than that of the range is a second exit.
bool may_become_vectors(const llvm::Loop& loop);

/// In loops over work-items that may become vectors.
void use_lane_functions(llvm::Module& host, llvm::ModuleAnalysisManager& analyses);

/// After vectorisation: no call with a mask is left.
void resolve_rare_calls(llvm::Module& host);

} // namespace prism::compiler
