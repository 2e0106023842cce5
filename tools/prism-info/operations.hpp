// The table of `prism-info --operations`: what each provider of operations supports, and why one is missing.
#pragma once

#include <string>

namespace prism::info {

/// Loads the providers. Letters are types: s float, d double, c complex float, z complex double.
std::string operations_text();

} // namespace prism::info
