// packed_gemm for real numbers, with tiles for processors with 32 registers of 64 bytes. Used on the host
// device. gemm_packed_real_half.cpp has those for OpenCL, gemm_packed_real_narrow.cpp those for other
// processors.
#include "kernels/blas/packed_gemm.hpp"

#include <unistd.h>

namespace prism::blas {
namespace {

/// Half of a second-level cache; what the others have where the system does not know its size.
std::size_t cache_for_panels() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return std::max(gemm_blocks{}.cache, std::size_t(std::max(size, 0L)) / 2);
#else
  return gemm_blocks{}.cache;
#endif
}

/// What the tuning database asks for, else groups of rows.
gemm_blocks wide_blocks(const gemm_parameters& how) {
  gemm_blocks out = blocks_of(how);
  out.cache = cache_for_panels();
  if (how.row_tiles == 0) out.groups_of_rows = 6;
  return out;
}

} // namespace

template <>
sycl::event multiply_packed_wide<float>(sycl::queue& queue, const product<float>& what,
                                        const events& depends) {
  gemm_blocks blocks = wide_blocks(what.how);
  if (what.how.row_tiles == 0 && what.a.columns <= 512) blocks.depth = 512; // one step: C is written once
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
  return packed_gemm<gemm_tile<double, 8, 14, 2, 1>>(queue, what, wide_blocks(what.how), depends);
}

} // namespace prism::blas
