// packed_gemm for real numbers, with tiles for processors with 32 registers of 64 bytes. Used on the host
// device. gemm_packed_real_half.cpp has those for OpenCL, gemm_packed_real_narrow.cpp those for other
// processors.
#include "kernels/blas/packed_gemm.hpp"

namespace prism::blas {

template <>
sycl::event multiply_packed_wide<float>(sycl::queue& queue, const product<float>& what,
                                        const events& depends) {
  gemm_blocks blocks = blocks_of(what.how);
  // One vector wide where C is narrow: otherwise half of a wide tile would be computed without use.
  // Rows that are read in place are twelve at a time: as many lines of a set as the first-level cache has.
  if (what.c.columns <= 16) {
    using few_rows = gemm_tile<float, 16, 12, 1, 1>;
    if (reads_rows_in_place<few_rows>(what.a, 1)) return packed_gemm<few_rows>(queue, what, blocks, depends);
    if (what.how.row_tiles == 0) blocks.row_tiles = 4;
    return packed_gemm<gemm_tile<float, 16, 28, 1, 1>>(queue, what, blocks, depends);
  }
  return packed_gemm<gemm_tile<float, 16, 14, 2, 1>>(queue, what, blocks, depends);
}
template <>
sycl::event multiply_packed_wide<double>(sycl::queue& queue, const product<double>& what,
                                         const events& depends) {
  return packed_gemm<gemm_tile<double, 8, 14, 2, 1>>(queue, what, blocks_of(what.how), depends);
}

} // namespace prism::blas
