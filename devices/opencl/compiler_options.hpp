// Options that a driver's compiler reads from an environment variable when its first context is made. They
// leave out what ends the process or computes wrong values. A pure function.
#pragma once

#include <optional>
#include <string_view>

namespace prism::devices::opencl {

struct compiler_options {
  const char *variable, *value;
};

/// Intel's driver for processors (2026.22) crashes in a pass that computes values again behind barriers, and
/// where a group has one work-item, it vectorises its loops so that sums have another order. Its compiler
/// ends the process at an option that it does not know, so other versions get none.
constexpr std::optional<compiler_options> options_of_compiler(std::string_view platform_name,
                                                              std::string_view driver_version) {
  if (platform_name != "Intel(R) OpenCL" || driver_version.substr(0, 5) != "2026.") return std::nullopt;
  return compiler_options{"CL_CONFIG_LLVM_OPTIONS",
                          "-opt-disable=sycl-kernel-reduce-cross-barrier-values,auto-vec-dir-insert "
                          "-opt-bisect-verbose=0"};
}

} // namespace prism::devices::opencl
