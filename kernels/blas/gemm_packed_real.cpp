// packed_gemm for real numbers, with tiles for processors with 32 registers of 64 bytes. Used on the host
// device. gemm_packed_real_half.cpp has those for OpenCL, gemm_packed_real_narrow.cpp those for other
// processors.
#include "kernels/blas/packed_gemm.hpp"

namespace prism::blas {

template <>
sycl::event multiply_packed_wide<float>(sycl::queue& queue, const product<float>& what,
                                        const events& depends) {
  gemm_blocks blocks;
  if (what.how.row_tiles != 0) blocks.row_tiles = what.how.row_tiles, blocks.depth = what.how.depth;
  // One vector wide where C is narrow: otherwise half of a wide tile would be computed without use.
  if (what.c.columns <= 16) {
    if (what.how.row_tiles == 0) blocks.row_tiles = 4;
    return packed_gemm<gemm_tile<float, 16, 28, 1, 1>>(queue, what, blocks, depends);
  }
  return packed_gemm<gemm_tile<float, 16, 14, 2, 1>>(queue, what, blocks, depends);
}
template <>
sycl::event multiply_packed_wide<double>(sycl::queue& queue, const product<double>& what,
                                         const events& depends) {
  return packed_gemm<gemm_tile<double, 8, 14, 2, 1>>(queue, what, {}, depends);
}

} // namespace prism::blas
