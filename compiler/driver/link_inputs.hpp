// What a linker's command line names as objects and static libraries. Reads the file system, starts nothing.
#pragma once

#include <string>
#include <vector>

namespace prism::driver {

struct link_inputs {
  std::vector<std::string> files; // in the linker's order
  bool relocatable = false;       // -r: no program comes out
};

/// `arguments` as a compiler gives them to ld, without its name; response files (@file) are opened.
link_inputs find_link_inputs(const std::vector<std::string>& arguments);

/// True for an object or static library that may hold device code (compiler/link/device_code.hpp).
bool may_hold_device_code(const std::string& file);

} // namespace prism::driver
