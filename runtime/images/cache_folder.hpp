// Where this user's caches lie.
#pragma once

#include <filesystem>

namespace prism::images {

/// PRISM_CACHE_DIR, else $XDG_CACHE_HOME/prism, else ~/.cache/prism; empty when none is known.
std::filesystem::path cache_folder();

} // namespace prism::images
