// Device code that is compiled when a program is linked: SYCL_EXTERNAL functions, and kernels that call such
// functions of other files. The object file contains it as bitcode, in a section that linkers leave out of
// programs.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compiler/front/device_versions.hpp"
#include "compiler/front/extract.hpp"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace prism::compiler {

inline constexpr const char* device_code_section = ".prism_bc";

/// In a shared library: the SYCL_EXTERNAL functions that it exports, for the links of programs that use it.
inline constexpr const char* exported_code_section = ".prism_dso";

/// A symbol that objects with pending kernels need and the link of their device code defines. A linker that
/// was called without that step prints it as undefined: its name is the message.
inline constexpr const char* linked_symbol =
    "__prism_kernels_are_not_linked__link_with_prismxx_or_add_sycl_to_target";

/// A kernel whose images are made when its program is linked.
struct pending_kernel {
  std::string function, slot; // symbols, in the bitcode and in the object
  std::uint32_t argument_bytes;
  std::string display_name;
};

struct device_code {
  std::unique_ptr<llvm::Module> module;
  std::vector<pending_kernel> kernels;
  std::string targets; // of the compilation: "host,opencl,vulkan"
};

/// Adds the ids of specialisation constants and device_globals, if `global` is the function that reads them.
/// They are distinguished by address, so all parts of a program must name the same object.
void add_constant_ids(const llvm::GlobalValue& global, llvm::SmallSetVector<llvm::GlobalVariable*, 8>& ids);

/// A copy of the functions and constants in `wanted`; all else that they name is only declared in it.
std::unique_ptr<llvm::Module> clone_device_code(const llvm::Module& host, const reachable_set& wanted,
                                                llvm::ValueToValueMapTy& map);

/// Removes from `kernels`, and returns, those that call SYCL_EXTERNAL functions which `host` does not define.
std::vector<kernel_entry> take_pending(llvm::Module& host, std::vector<kernel_entry>& kernels);

/// Embeds pending kernels and all SYCL_EXTERNAL functions that `host` defines; does nothing if there are
/// none. Slots and specialisation constants with internal linkage get a name, so that the linked table can
/// refer to them. For a function in `versions` other files get its version for the device. `simplify` runs on
/// the code first, with small functions marked for inlining; otherwise each link would have to do it again.
void embed_device_code(llvm::Module& host, const std::vector<kernel_entry>& pending,
                       const std::vector<device_version>& versions,
                       const std::function<void(llvm::Module&)>& simplify);

/// Adds to `host`, which becomes part of a shared library, the functions of `linked` that other files can
/// see, with what they call; not the kernels, and no function that reads a specialisation constant or a
/// device_global, whose objects the library does not export.
void embed_exported_code(llvm::Module& host, const llvm::Module& linked,
                         const std::set<std::string>& kernels);

/// The contents of a section, which may have been joined by a linker. Throws std::runtime_error if it is
/// damaged.
std::vector<device_code> read_device_code(llvm::StringRef section, llvm::LLVMContext& context);

} // namespace prism::compiler
