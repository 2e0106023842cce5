// Loops over work-items in host code, made ready for LLVM's vectoriser.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace prism::compiler {

/// Whether it is sycl::detail::run_box<Dimensions, Kernel> or a copy of one.
bool is_range_body(const llvm::Function& function);

/// At the start of clang's pipeline: the innermost loop of every sycl::detail::run_box, which calls a range's
/// kernel for one item after the other, becomes known as a loop over work-items (workgroup/lanes.hpp).
void mark_range_loops(llvm::Module& host);

/// Directly before the vectoriser: in such a loop, of a range or of a work-group function, no switch is left,
/// which LLVM's vectoriser refuses and simplification makes of comparisons with several constants, and a
/// range's accesses are marked as parallel (parallel.hpp); those of work-group functions have been when they
/// were made.
class lane_loops_pass : public llvm::PassInfoMixin<lane_loops_pass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace prism::compiler
