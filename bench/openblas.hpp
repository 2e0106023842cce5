// OpenBLAS, opened where it is installed: nothing links it.
#pragma once

#include <dlfcn.h>

namespace bench {

/// OpenBLAS as any program calls it, with all threads that it takes, or with so many.
struct openblas {
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }
  using sgemm_call = void(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                          float*, int);
  using dgemm_call = void(int, int, int, int, int, int, double, const double*, int, const double*, int,
                          double, double*, int);
  sgemm_call* sgemm = library ? find<sgemm_call>("cblas_sgemm") : nullptr;
  dgemm_call* dgemm = library ? find<dgemm_call>("cblas_dgemm") : nullptr;
  void gemm(int m, int n, int k, const float* a, const float* b, float* c) const {
    sgemm(101, 111, 111, m, n, k, 1, a, k, b, n, 0, c, n);
  }
  void gemm(int m, int n, int k, const double* a, const double* b, double* c) const {
    dgemm(101, 111, 111, m, n, k, 1, a, k, b, n, 0, c, n);
  }
  /// For the next calls of the process, a provider's too.
  void take(unsigned threads) const {
    if (take_threads) take_threads(int(threads));
  }
  void (*take_threads)(int) = library ? find<void(int)>("openblas_set_num_threads") : nullptr;
};

} // namespace bench
