// OpenBLAS on the host (Wang, Zhang, Zhang, Yi 2013, "AUGEM").
#include "providers/cblas/provider.hpp"

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static constexpr const char* files[] = {"libopenblas.so.0", "libopenblas.so", nullptr};
  static constexpr prism_cblas::vendor which{
      "openblas", "OpenBLAS", files, "openblas_set_num_threads", "openblas_get_config", true, 0.85, 200};
  return prism_cblas::table_of(which);
}
