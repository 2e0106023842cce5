// A work-group function as native code. It is linked into the host module, where clang's own optimiser and
// code generator process it like any other function.
#pragma once

#include <memory>

#include "compiler/device_ir/contract.hpp"
#include "compiler/support/pass_runner.hpp"
#include "compiler/support/refusal.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

namespace prism::compiler {

struct native_group {
  std::string function; // its name: a devices::host::host_group_function, internal to the host module
  std::uint32_t spill_bytes = 0, sub_group_size = 0;
  prism::compiler::refusal refusal; // not empty: no function was made
};

/// Offsets in devices::host::group_context, the second argument of a work-group function.
namespace context_layout {
inline constexpr std::uint64_t group_id = 0, group_count = 24, local_size = 48, arena = 72,
                               context_memory = 80, diverged = 88, exact = 96, bytes = 104;
}

/// Attribute of the parameter that is the group_context.
inline constexpr const char* context_parameter = "prism-group-context";

/// The work-group functions of a host module before they are linked into it. A module of their own collects
/// them: each link takes time in proportion to the module that it links into, so all kernels of a file share
/// one link.
class native_groups {
public:
  explicit native_groups(llvm::Module& host);
  /// Adds a module with one function; false if it cannot be linked.
  bool add(std::unique_ptr<llvm::Module> module) { return !m_linker.linkInModule(std::move(module)); }
  /// Links all functions into the host module; ends the program if LLVM cannot.
  void link();
  const llvm::Module& host() const { return m_host; }
  /// A function and its separate regions as text, before link().
  void print(llvm::raw_ostream& out, llvm::StringRef name) const;

private:
  llvm::Module& m_host;
  std::unique_ptr<llvm::Module> m_linked;
  llvm::Linker m_linker;
};

/// Whether the kernel computes enough to justify several compilations: loops, barriers or much arithmetic.
bool may_use_vectors(llvm::Function& kernel);

enum class native_use : unsigned char {
  any_group,
  guarded,      // of a range, for other backends than PRISM's host device
  whole_groups, // of a range; made only if it is faster than a loop over the body
};

/// `module`: a copy of the kernel after the shared pipeline. `original`: the kernel in `host`. The group
/// function is compiled for the same processor and with the same options. groups.link() moves it to `host`.
native_group add_native_group(native_groups& groups, const llvm::Function& original,
                              std::unique_ptr<llvm::Module> module, const kernel_facts& facts,
                              pass_runner& passes, native_use use = native_use::any_group);

} // namespace prism::compiler
