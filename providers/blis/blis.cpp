// BLIS on the host (Van Zee and van de Geijn 2015, "BLIS: A Framework for Rapidly Instantiating BLAS
// Functionality").
#include "providers/cblas/provider.hpp"

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static constexpr const char* files[] = {"libblis.so.4", "libblis.so", nullptr};
  static constexpr prism_cblas::vendor which{
      "blis", "BLIS", files, "bli_thread_set_num_threads", "bli_info_get_version_str", false, 0.75, 600};
  return prism_cblas::table_of(which);
}
