// Finds backend modules: shared libraries that export `prism_backend_entry`. Loading one runs its code, so
// everything that can be checked before is.
#pragma once

#include "devices/api/backend.hpp"

namespace prism::devices {

struct found_module {
  std::string file;
  const backend* b = nullptr; // null: refused for `reason`
  std::string reason;
};

/// Loads every *.so of the ":"-separated folders, in order of name. A loaded module stays loaded.
std::vector<found_module> find_modules(const std::string& folders);

/// Loads one module.
found_module load_module(const std::string& file);

} // namespace prism::devices
