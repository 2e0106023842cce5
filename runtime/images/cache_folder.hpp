// The folder for caches of this user.
#pragma once

#include <filesystem>

namespace prism::images {

/// PRISM_CACHE_DIR, otherwise $XDG_CACHE_HOME/prism, otherwise ~/.cache/prism; empty if none is set.
std::filesystem::path cache_folder();

} // namespace prism::images
