// Batches of small products of double. A file of its own, because the compiler makes copies of a file's
// kernels for wide vectors up to a limit, and these need them.
#include "kernels/blas/packed_batch_kernel.hpp"

namespace prism::blas {

template <>
std::optional<sycl::event> multiply_packed_batch<double>(sycl::queue& queue, const product<double>& what,
                                                         const events& depends) {
  const bool is_wide = has_wide_vectors(queue.get_device());
  const std::size_t columns = what.c.columns;
  if (columns <= 4 || !is_wide) return packed_batch<gemm_tile<double, 4, 8, 1, 1>>(queue, what, depends);
  if (columns <= 8) return packed_batch<gemm_tile<double, 8, 8, 1, 1>>(queue, what, depends);
  return packed_batch<gemm_tile<double, 8, 8, 2, 1>>(queue, what, depends);
}

} // namespace prism::blas
