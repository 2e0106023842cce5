// Finds backend modules: shared libraries that export `prism_backend_entry`. Loading a module runs its code,
// so everything that can be checked without loading is checked first.
#pragma once

#include "devices/api/backend.hpp"

namespace prism::devices {

struct found_module {
  std::string file;
  const backend* b = nullptr; // null: refused, see `reason`
  std::string reason;
};

/// Loads every *.so of the ":"-separated folders, in order of name. A loaded module is never unloaded.
std::vector<found_module> find_modules(const std::string& folders);

/// Loads one module.
found_module load_module(const std::string& file);

} // namespace prism::devices
