// Copies of the host's kernels for wider instruction sets: image::host_isa (devices/api/image.hpp).
//
// A program compiled for the baseline then uses AVX2, AVX-512 or SVE where the processor has them. Functions
// that are already compiled for such a level, functions that are not optimised, and other processors are left
// as they are.
#pragma once

#include "llvm/IR/Module.h"

namespace prism::compiler {

/// Attribute of work-group functions: the highest level to make copies for.
inline constexpr const char* wants_isa_copies = "prism-isa-copies";

/// Gives a work-group function that attribute where wider vectors would make it faster: copies cost compile
/// time. AVX-512 only for much arithmetic; the others wait for memory, or for what is done one by one, as
/// divisions of integers are.
void ask_for_isa_copies(llvm::Function& function);

/// Of the functions with that attribute, which goes, and of the bodies of ranges (lane_loops.hpp) that have
/// become simple loops: those of ranges round as the baseline does, so that an element's result does not
/// depend on which copy made it.
void add_isa_copies(llvm::Module& host);

} // namespace prism::compiler
