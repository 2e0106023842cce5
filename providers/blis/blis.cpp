// BLIS on the host (Van Zee and van de Geijn 2015, "BLIS: A Framework for Rapidly Instantiating BLAS
// Functionality").
#include "providers/cblas/provider.hpp"

#include <cstring>

namespace {

bool uses_wide_vectors(const prism_cblas::library& from) {
  const auto number = reinterpret_cast<int (*)()>(from.symbol("bli_arch_query_id"));
  const auto name = reinterpret_cast<const char* (*)(int)>(from.symbol("bli_arch_string"));
  if (!number || !name) return true;
  for (const char* const wide : {"skx", "knl", "zen4", "zen5"})
    if (std::strcmp(name(number()), wide) == 0) return true;
  return false;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static constexpr const char* files[] = {"libblis.so.4", "libblis.so", nullptr};
  static constexpr prism_cblas::vendor which{"blis",
                                             "BLIS",
                                             files,
                                             "bli_thread_set_num_threads",
                                             "bli_thread_get_num_threads",
                                             "bli_info_get_version_str",
                                             false,
                                             0.75,
                                             600,
                                             uses_wide_vectors};
  return prism_cblas::table_of(which);
}
