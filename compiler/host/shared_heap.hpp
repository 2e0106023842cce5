// `prism++ --stdpar`: allocations of the host code come from the heap that the device shares.
#pragma once

namespace llvm {
class Module;
}

namespace prism::compiler {

/// Lets each use of malloc, operator new and their relatives refer to the function of libprism_stdpar that
/// replaces it (prism/stdpar/memory.hpp). Memory is freed as ever: that library defines `free` for the
/// process. Code that a sanitizer watches keeps its own.
void use_shared_heap(llvm::Module& module);

} // namespace prism::compiler
