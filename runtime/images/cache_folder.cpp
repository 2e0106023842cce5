#include "runtime/images/cache_folder.hpp"

#include "runtime/support/environment.hpp"

#include <cstdlib>

namespace prism::images {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (auto folder = support::set_value_of(support::variables::cache_dir)) return *folder;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "prism";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache" / "prism";
  return {};
}

} // namespace prism::images
