// Finds the objects and libraries that a linker's command line names. Reads the file system, starts no
// process.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

struct link_inputs {
  std::vector<std::string> files;    // in the linker's order
  bool relocatable = false;          // -r: the output is not a program
  bool makes_shared_library = false; // -shared
};

/// `arguments`: as a compiler passes them to ld, without the linker's name. Response files (@file) are read.
link_inputs find_link_inputs(const std::vector<std::string>& arguments);

/// True for an object or static library that may hold device code (compiler/link/device_code.hpp).
bool may_hold_device_code(const std::string& file);
/// True for a shared library that exports device code.
bool exports_device_code(const std::string& file);

} // namespace prism::driver
