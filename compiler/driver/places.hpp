// The locations of prism++'s components, derived from the real path of the running program: in the build tree
// (bin/, lib/ and the source's headers) or installed (bin/, lib*/, include/).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace prism::driver {

struct places {
  std::filesystem::path clang;   // clang++ of the plugin's own LLVM version
  std::filesystem::path plugin;  // libprism-plugin.so
  std::filesystem::path library; // folder of libprism
  std::filesystem::path include; // folder with sycl/sycl.hpp
  /// Folders with prism/stdpar.hpp and what it includes. Installed, they are `include`.
  std::vector<std::filesystem::path> standard_algorithms;
  std::filesystem::path linkers; // folder whose ld is prism++ itself, see link.hpp
};

/// Throws std::runtime_error; the message states what is missing, the folders that were searched and what to
/// do.
places find_places();

/// The programs of this name in a list of folders as PATH has it, in its order.
std::vector<std::filesystem::path> programs_named(const std::string& name, const std::string& folders);

} // namespace prism::driver
