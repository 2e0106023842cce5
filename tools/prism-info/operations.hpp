// The table of `prism-info --operations`: what each provider of operations serves, and why one is not there.
#pragma once

#include <string>

namespace prism::info {

/// Loads the providers. Letters are types: s float, d double, c and z complex of them.
std::string operations_text();

} // namespace prism::info
