// Counts a kernel's operations and memory accesses from its IR, for prism::workload_of. The counts are
// estimates: in a loop that the compiler cannot bound, a count records the depth of loops around it; both
// sides of a condition count by half.
#pragma once

#include "devices/api/kernel_counts.hpp"

namespace llvm {
class Function;
}

namespace prism::compiler {

/// `kernel` is inlined and simplified, as run_shared_pipeline leaves it. It is not changed.
image::kernel_counts count_operations(llvm::Function& kernel);

} // namespace prism::compiler
