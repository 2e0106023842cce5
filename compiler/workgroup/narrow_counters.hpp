// Counters of loops as narrow as the source has them.
//
// LLVM's instcombine writes `int k; k += get_global_range(0)` with a phi of 64 bits, of which each round uses
// the low 32: a phi of truncated values becomes the truncation of a phi. Scalar evolution sees no counter in
// that. This puts the truncation back in front of the phi. Instcombine, run once more, undoes it.
#pragma once

#include "llvm/IR/Function.h"

namespace prism::compiler {

/// Phis of 64 bits of which only the low 32 are used become phis of 32. Whether any did.
bool narrow_counters(llvm::Function& kernel);

} // namespace prism::compiler
