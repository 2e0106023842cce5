// A work-group function as native code: linked into the host module, where clang's own optimiser and code
// generator finish it like any other function.
#pragma once

#include <memory>

#include "compiler/device_ir/contract.hpp"
#include "compiler/support/pass_runner.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

namespace prism::compiler {

struct native_group {
  std::string function; // its name: a devices::host::host_group_function, internal to the host module
  std::uint32_t spill_bytes = 0, sub_group_size = 0;
  std::string error; // not empty: there is no function
};

/// Where devices::host::group_context has what a work-group function reads: its second argument.
namespace context_layout {
inline constexpr std::uint64_t group_id = 0, group_count = 24, local_size = 48, arena = 72, kept = 80,
                               diverged = 88, bytes = 96;
}

/// The work-group functions of a host module on their way there. They are gathered in a module of their own,
/// since each link costs as much as what is linked into is long: one link for all kernels of a file.
class native_groups {
public:
  explicit native_groups(llvm::Module& host);
  /// Takes a module with one function to link; false when it cannot be.
  bool add(std::unique_ptr<llvm::Module> module) { return !m_linker.linkInModule(std::move(module)); }
  /// Links all into the host module; ends the program when LLVM cannot.
  void link();
  const llvm::Module& host() const { return m_host; }
  /// Before and after link().
  const llvm::Function* find(llvm::StringRef name) const {
    return (m_joined ? *m_joined : m_host).getFunction(name);
  }

private:
  llvm::Module& m_host;
  std::unique_ptr<llvm::Module> m_joined;
  llvm::Linker m_linker;
};

/// Whether the kernel computes enough to be compiled more than once for it: loops, barriers or much
/// arithmetic.
bool may_use_vectors(llvm::Function& kernel);

enum class native_use : unsigned char {
  any_group,
  guarded,      // of a range, for other backends than this library's host device
  whole_groups, // of a range; made only where it is faster than a loop over the body
};

/// `module` is a copy of what the shared pipeline made of the kernel. `original` is the kernel in `host`: the
/// group function is compiled for the same processor and with the same options. The function comes to `host`
/// by groups.link().
native_group add_native_group(native_groups& groups, const llvm::Function& original,
                              std::unique_ptr<llvm::Module> module, const kernel_facts& facts,
                              pass_runner& passes, native_use use = native_use::any_group);

} // namespace prism::compiler
