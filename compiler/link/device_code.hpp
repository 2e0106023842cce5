// Device code that goes from a compilation to the link of a program: SYCL_EXTERNAL functions, and kernels
// that call some which other files define. It travels as bitcode in the object file, in a section that
// linkers leave out of programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/front/find_kernels.hpp"

namespace prism::compiler {

inline constexpr const char* device_code_section = ".prism_bc";

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

/// Splits off the kernels that call SYCL_EXTERNAL functions which `host` does not define.
std::vector<kernel_entry> take_pending(llvm::Module& host, std::vector<kernel_entry>& kernels);

/// Embeds pending kernels and all SYCL_EXTERNAL functions that `host` defines; nothing when there are none.
/// Slots and specialisation constants of internal linkage get a name, so that the linked table can refer to
/// them. `simplify` runs on the code first, with small functions marked to be inlined: each link would do it
/// again.
void embed_device_code(llvm::Module& host, const std::vector<kernel_entry>& pending,
                       const std::function<void(llvm::Module&)>& simplify);

/// All that a section holds, as joined by linkers or not. Throws std::runtime_error when it is damaged.
std::vector<device_code> read_device_code(llvm::StringRef section, llvm::LLVMContext& context);

} // namespace prism::compiler
