// The shared pipeline: from the extracted host IR of one kernel to the form that contract.hpp promises to
// emitters.
//
// Everything is inlined before the first pass that changes control flow; running another pass earlier makes
// barriers wrong (a branch threaded through a not yet inlined wrapper duplicates the barrier into both arms).
#pragma once

#include <string>

#include "compiler/device_ir/contract.hpp"
#include "compiler/support/pass_runner.hpp"
#include "compiler/support/refusal.hpp"

namespace prism::compiler {

/// Inlines what is marked for it and simplifies the rest, of code that is linked with other files' before
/// run_shared_pipeline.
void simplify_before_link(llvm::Module& module, pass_runner& passes);

/// The part that does not depend on the target. Afterwards all that could be inlined is, and the legality of
/// the device code can be judged (front/check.hpp). `facts` gets the hidden arguments; closure_bytes and
/// argument_bytes were set. `host` is the module the kernel came from.
void run_shared_pipeline(llvm::Module& module, llvm::Function& kernel, llvm::Module& host,
                         kernel_facts& facts, pass_runner& passes);

/// What the kernel uses: slots, local memory, barriers. After run_shared_pipeline.
void gather_facts(llvm::Function& kernel, kernel_facts& facts);

/// Group algorithms have a form for work-items side by side and one for a thread that runs the whole group:
/// which is chosen here. Whether the kernel had both. After gather_facts.
bool choose_group_form(llvm::Module& module, llvm::Function& kernel, bool runs_group, pass_runner& passes);

/// How half is computed with: by the device, or as float, rounded by integer arithmetic after each operation.
enum class half_form : std::uint8_t { native, bits };

/// The target's part, on a clone. Returns why the target cannot have this kernel, if so.
refusal lower_for_target(llvm::Module& module, llvm::Function& kernel, target where, half_form half,
                         pass_runner& passes);

} // namespace prism::compiler
