// The shared pipeline: from the extracted host IR of one kernel to the form that contract.hpp promises to
// emitters.
//
// Everything is inlined before the first pass that changes control flow. An earlier pass would make barriers
// wrong: a branch that is threaded through a wrapper, not yet inlined, duplicates the barrier into both
// branches.
#pragma once

#include <string>

#include "compiler/device_ir/contract.hpp"
#include "compiler/support/pass_runner.hpp"
#include "compiler/support/refusal.hpp"

namespace prism::compiler {

/// Inlines what is marked for it and simplifies the rest, for code that is linked with other files' code
/// before run_shared_pipeline.
void simplify_before_link(llvm::Module& module, pass_runner& passes);

/// The part that does not depend on the target. Afterwards all possible calls are inlined, and
/// front/check.hpp can check the device code. Adds the hidden arguments to `facts`, whose closure_bytes and
/// argument_bytes must be set. `host` is the module that the kernel came from.
void run_shared_pipeline(llvm::Module& module, llvm::Function& kernel, llvm::Module& host,
                         kernel_facts& facts, pass_runner& passes);

/// Of a kernel with matrices that a sub-group holds, after run_shared_pipeline: arrays of them become values.
void make_matrices_values(llvm::Module& module, llvm::Function& kernel, pass_runner& passes);

/// Records what the kernel uses: slots, local memory, barriers. Must follow run_shared_pipeline.
void gather_facts(llvm::Function& kernel, kernel_facts& facts);

/// Group algorithms have two forms: for concurrent work-items, and for a thread that runs the whole group.
/// This chooses one. Returns whether the kernel had both. Must follow gather_facts.
bool choose_group_form(llvm::Module& module, llvm::Function& kernel, bool runs_group, pass_runner& passes);

/// How the kernel computes with half, and fma. native: half in half, fma of floats in double and of doubles
/// in two parts. plain, for devices without fp16 or fp64: half in float, rounded by integer arithmetic after
/// each operation, and fma in integers. fused: as native, but fma and atomic additions of floats are the
/// device's (image::fused_multiply_add, image::float_atomic_add).
enum class number_form : std::uint8_t { native, plain, fused };

/// What the sub-groups of an image are: the device's vectors, or one work-item each.
enum class sub_group_form : std::uint8_t { single, vectors };

/// After functions of the library were linked (builtins.hpp).
void inline_linked_functions(llvm::Module& module, llvm::Function& kernel, pass_runner& passes);

/// The part for one target, on a copy of the kernel. Returns the reason if the target cannot run this kernel.
refusal lower_for_target(llvm::Module& module, llvm::Function& kernel, target where, number_form form,
                         sub_group_form sub_groups, pass_runner& passes);

} // namespace prism::compiler
