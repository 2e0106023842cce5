// A work-group function as native code: linked into the host module, where clang's own optimiser and code generator
// finish it like any other function.
#pragma once

#include <memory>

#include "compiler/lower/contract.hpp"
#include "compiler/lower/pass_runner.hpp"
#include "llvm/IR/Module.h"

namespace prism::compiler {

struct native_group {
  llvm::Function* function = nullptr; // devices::host::host_group_function, internal to the host module
  std::uint32_t spill_bytes = 0, sub_group_size = 0;
  std::string error; // not empty: there is no function
};

enum class native_use : unsigned char {
  any_group,
  whole_groups, // made only where loops are turned inside out (loop_cuts.hpp): a loop over work-items does not better
};

/// `module` is a copy of what the shared pipeline made of the kernel. `original` is the kernel in `host`: the group
/// function is compiled for the same processor and with the same options.
native_group add_native_group(llvm::Module& host, const llvm::Function& original, std::unique_ptr<llvm::Module> module,
                              const kernel_facts& facts, pass_runner& passes, native_use use = native_use::any_group);

} // namespace prism::compiler
