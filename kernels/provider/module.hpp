// One provider's shared library: inspected before its code runs, loaded, and refused with a reason if it does
// not fit.
//
// A loaded library stays loaded. Thread-safe.
#pragma once

#include <prism/provider.h>

#include <filesystem>
#include <string>

namespace prism::provider {

struct module {
  const prism_provider* table = nullptr; // null: refused, see `reason`
  std::string reason;
};

/// Loads `file` and checks its exports. `name`: the required name of its table; empty: any name.
module load_module(const std::filesystem::path& file, const std::string& name = {});

/// Why a table cannot be used; empty if it can.
std::string mismatch_of(const prism_provider& table, const std::string& name);

} // namespace prism::provider
