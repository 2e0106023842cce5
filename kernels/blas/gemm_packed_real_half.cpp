// packed_gemm for real numbers, with tiles for 32 registers of 32 bytes: what OpenCL's compilers use of
// processors with registers of 64 bytes, whose wider vectors they divide (LLVM's prefer-vector-width), so
// that tiles for those would not fit the registers. 24 sums, because LLVM loads several elements of A ahead.
// Used on OpenCL CPUs.
#include "kernels/blas/packed_gemm.hpp"

namespace prism::blas {

template <>
sycl::event multiply_packed_half<float>(sycl::queue& queue, const product<float>& what,
                                        const events& depends) {
  gemm_blocks blocks = blocks_of(what.how);
  if (what.c.columns <= 8) {
    if (what.how.row_tiles == 0) blocks.row_tiles = 4;
    return packed_gemm<gemm_tile<float, 8, 24, 1, 1>>(queue, what, blocks, depends);
  }
  return packed_gemm<gemm_tile<float, 8, 12, 2, 1>>(queue, what, blocks, depends);
}
template <>
sycl::event multiply_packed_half<double>(sycl::queue& queue, const product<double>& what,
                                         const events& depends) {
  return packed_gemm<gemm_tile<double, 4, 12, 2, 1>>(queue, what, blocks_of(what.how), depends);
}

} // namespace prism::blas
