// packed_gemm for complex numbers, on the host device: tiles for 32 registers of 64 bytes, and for 16 of 32.
#include "kernels/blas/packed_gemm.hpp"

namespace prism::blas {

template <>
sycl::event multiply_packed_wide<std::complex<float>>(sycl::queue& queue,
                                                      const product<std::complex<float>>& what,
                                                      const events& depends) {
  return packed_gemm<gemm_tile<float, 16, 6, 2, 2>>(queue, what, {}, depends);
}
template <>
sycl::event multiply_packed_wide<std::complex<double>>(sycl::queue& queue,
                                                       const product<std::complex<double>>& what,
                                                       const events& depends) {
  return packed_gemm<gemm_tile<double, 8, 6, 2, 2>>(queue, what, {}, depends);
}

template <>
sycl::event multiply_packed_narrow<std::complex<float>>(sycl::queue& queue,
                                                        const product<std::complex<float>>& what,
                                                        const events& depends) {
  return packed_gemm<gemm_tile<float, 8, 5, 1, 2>>(queue, what, {12, 256, 8, 4}, depends);
}
template <>
sycl::event multiply_packed_narrow<std::complex<double>>(sycl::queue& queue,
                                                         const product<std::complex<double>>& what,
                                                         const events& depends) {
  return packed_gemm<gemm_tile<double, 4, 5, 1, 2>>(queue, what, {6, 256, 8, 4}, depends);
}

} // namespace prism::blas
