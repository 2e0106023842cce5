// OpenBLAS on the host (Wang, Zhang, Zhang, Yi 2013, "AUGEM").
#include "providers/cblas/provider.hpp"

#include <cstring>

namespace {

bool uses_wide_vectors(const prism_cblas::library& from) {
  const auto name = reinterpret_cast<const char* (*)()>(from.symbol("openblas_get_corename"));
  if (!name) return true;
  for (const char* const wide : {"SkylakeX", "Cooperlake", "Sapphirerapids", "SapphireRapids"})
    if (std::strcmp(name(), wide) == 0) return true;
  return false;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static constexpr const char* files[] = {"libopenblas.so.0", "libopenblas.so", nullptr};
  static constexpr prism_cblas::vendor which{"openblas",
                                             "OpenBLAS",
                                             files,
                                             "openblas_set_num_threads",
                                             "openblas_get_num_threads",
                                             "openblas_get_config",
                                             true,
                                             0.85,
                                             200,
                                             uses_wide_vectors,
                                             true};
  return prism_cblas::table_of(which);
}
