// prism++ as the compiler launcher of a CMake target (cmake/PrismSycl.cmake): `prism++ --as-launcher
// [LAUNCHER...]
// -- COMPILER ARGUMENTS...` for every C++ file of the target. A pure function of its arguments.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

struct launch {
  std::vector<std::string> launcher; // of the project, such as ccache; it goes before whichever compiler runs
  std::string compiler;              // of the project
  std::vector<std::string> options;  // for that compiler, or for prism++ if `has_kernels`
  bool has_kernels = false;          // prism++ compiles the file instead of `compiler`
};

/// `arguments` are those behind --as-launcher. `is_own` says whether the project's compiler is prism++
/// itself, whose options and precompiled headers need no change. Throws std::invalid_argument for a command
/// without a compiler.
launch parse_launch(const std::vector<std::string>& arguments, bool (*is_own)(const std::string& compiler));

} // namespace prism::driver
