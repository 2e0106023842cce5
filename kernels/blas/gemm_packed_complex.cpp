// packed_gemm for complex numbers, on the host device.
#include "kernels/blas/packed_gemm.hpp"

namespace prism::blas {

template <>
sycl::event multiply_packed<std::complex<float>>(sycl::queue& queue, const product<std::complex<float>>& what,
                                                 const events& depends) {
  return packed_gemm<gemm_tile<float, 16, 6, 2, 2>>(queue, what, {}, depends);
}
template <>
sycl::event multiply_packed<std::complex<double>>(sycl::queue& queue,
                                                  const product<std::complex<double>>& what,
                                                  const events& depends) {
  return packed_gemm<gemm_tile<double, 8, 6, 2, 2>>(queue, what, {}, depends);
}

} // namespace prism::blas
