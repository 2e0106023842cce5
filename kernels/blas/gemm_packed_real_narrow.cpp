// packed_gemm for real numbers, with tiles for processors with 16 registers of 32 bytes: 12 sums, two vectors
// of B and one of A (the tile of BLIS for Haswell and Zen). Used on the host device and on OpenCL CPUs. A
// file of its own, because the compiler makes copies of a file's kernels for wide vectors up to a limit.
#include "kernels/blas/packed_gemm.hpp"

namespace prism::blas {

template <>
sycl::event multiply_packed_narrow<float>(sycl::queue& queue, const product<float>& what,
                                          const events& depends) {
  const gemm_blocks blocks = blocks_of(what.how, 16);
  if (what.c.columns <= 8) return packed_gemm<gemm_tile<float, 8, 12, 1, 1>>(queue, what, blocks, depends);
  return packed_gemm<gemm_tile<float, 8, 6, 2, 1>>(queue, what, blocks, depends);
}
template <>
sycl::event multiply_packed_narrow<double>(sycl::queue& queue, const product<double>& what,
                                           const events& depends) {
  return packed_gemm<gemm_tile<double, 4, 6, 2, 1>>(queue, what, blocks_of(what.how, 10), depends);
}

} // namespace prism::blas
