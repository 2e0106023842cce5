// One provider's shared library: looked at before its code runs, loaded, and refused with a reason when it
// does not fit.
//
// A loaded library stays loaded. Any thread.
#pragma once

#include <prism/provider.h>

#include <filesystem>
#include <string>

namespace prism::provider {

struct module {
  const prism_provider* table = nullptr; // null: refused for `reason`
  std::string reason;
};

/// Loads `file` and checks what it exports. `name`: what its table must be called; empty: any name.
module load_module(const std::filesystem::path& file, const std::string& name = {});

/// Why a table cannot be used; empty when it can.
std::string mismatch_of(const prism_provider& table, const std::string& name);

} // namespace prism::provider
