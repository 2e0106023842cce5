// Batches of small products of float. A file of its own, because the compiler makes copies of a file's
// kernels for wide vectors up to a limit, and these need them.
#include "kernels/blas/packed_batch_kernel.hpp"

namespace prism::blas {

template <>
std::optional<sycl::event> multiply_packed_batch<float>(sycl::queue& queue, const product<float>& what,
                                                        const events& depends) {
  const bool is_wide = has_wide_vectors(queue.get_device());
  const std::size_t columns = what.c.columns;
  if (columns <= 4) return packed_batch<gemm_tile<float, 4, 8, 1, 1>>(queue, what, depends);
  if (columns <= 8 || !is_wide) return packed_batch<gemm_tile<float, 8, 8, 1, 1>>(queue, what, depends);
  if (columns <= 16) return packed_batch<gemm_tile<float, 16, 8, 1, 1>>(queue, what, depends);
  return packed_batch<gemm_tile<float, 16, 8, 2, 1>>(queue, what, depends);
}

} // namespace prism::blas
