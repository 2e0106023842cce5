// Prepares loops over work-items in host code for LLVM's vectoriser.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace prism::compiler {

/// Whether the function is sycl::detail::run_box<Dimensions, Kernel> or a copy of one.
bool is_range_body(const llvm::Function& function);

/// Runs at the start of clang's pipeline. Marks the innermost loop of every sycl::detail::run_box, which
/// calls a range's kernel for one item after the other, as a loop over work-items (workgroup/lanes.hpp).
void mark_range_loops(llvm::Module& host);

/// Runs when the kernels' code is part of these functions, and does what work-group functions get when they
/// are formed: powers with known exponents become products (passes/powers.cpp), other calls of math functions
/// lose what prevents vectors (math_calls.hpp), and loops are split into rows (workgroup/row_strips.hpp).
void simplify_ranges(llvm::Module& host);

/// Runs directly before the vectoriser, on such loops of ranges and of work-group functions. Removes
/// switches, which simplification makes of comparisons with several constants and which LLVM's vectoriser
/// refuses. Marks a range's accesses as parallel (parallel.hpp); those of work-group functions have been
/// marked when the functions were made.
class lane_loops_pass : public llvm::PassInfoMixin<lane_loops_pass> {
public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

} // namespace prism::compiler
