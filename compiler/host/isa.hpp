// Copies of the host's kernels for wider instruction sets: image::host_isa (devices/api/image.hpp).
//
// A program compiled for the baseline then uses AVX2, AVX-512 or SVE if the processor has them. Three cases
// stay unchanged: functions that are compiled for such a level already, functions that are not optimised, and
// other processors.
#pragma once

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Attribute of work-group functions: the highest level to make copies for, and the gain.
inline constexpr const char* wants_isa_copies = "prism-isa-copies";

/// Gives a work-group function that attribute if wider vectors would make it faster, because copies cost
/// compile time. AVX-512 only for much arithmetic: other kernels wait for memory, or for scalar operations
/// such as divisions of integers.
void ask_for_isa_copies(llvm::Function& function);

/// Makes copies of the functions with that attribute, and removes it. Also copies bodies of ranges
/// (lane_loops.hpp) that have become simple loops. Those round as the baseline does, so that an element's
/// result does not depend on which copy computes it.
void add_isa_copies(llvm::Module& host);

} // namespace prism::compiler
