// Counts a kernel's operations and memory traffic from its IR, for prism::workload_of. An estimate: of loops
// that the compiler cannot bound it says how deep a count stands in them; of two ways it counts both, each by
// half.
#pragma once

#include "devices/api/kernel_counts.hpp"

namespace llvm {
class Function;
}

namespace prism::compiler {

/// `kernel` is inlined and simplified, as run_shared_pipeline leaves it. Changes nothing.
image::kernel_counts count_operations(llvm::Function& kernel);

} // namespace prism::compiler
