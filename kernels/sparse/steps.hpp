// The kernels of <prism/sparse.hpp>. Structures are pointers to 32-bit integers; values and vectors are
// numbers of kernels/linalg/number.hpp with offsets and strides in components.
#pragma once

#include "kernels/blas/operand.hpp"

namespace prism::sparse {

using index = std::int32_t;
using events = std::vector<sycl::event>;
using index_place = blas::place<index>;

/// Rows of elements or of blocks, as kernels read them. Without `source`, value e is that of element e.
struct rows_in_memory {
  std::size_t rows = 0; // in elements
  std::size_t block = 1;
  index_place offsets, columns, source;
  bool has_source = false;
};

/// Y = alpha A X + beta Y for each column.
template <typename T>
sycl::event times(sycl::queue& queue, const blas::factor<blas::real_of<T>>& alpha, const rows_in_memory& a,
                  const blas::place<blas::real_of<T>>& values, const blas::matrix<T>& x,
                  const blas::factor<blas::real_of<T>>& beta, const blas::matrix<T>& y,
                  const events& depends);

/// X = alpha B.
template <typename T>
sycl::event scaled(sycl::queue& queue, const blas::factor<blas::real_of<T>>& alpha, const blas::matrix<T>& b,
                   const blas::matrix<T>& x, const events& depends);
/// Rows order[first] ... order[last - 1] of X: x_i = (x_i - sum of below) / diagonal_i, for each column.
template <typename T>
sycl::event solve_rows(sycl::queue& queue, const rows_in_memory& below, const index_place& order,
                       std::size_t first, std::size_t last, bool serial, const index_place& diagonal,
                       bool unit, const blas::place<blas::real_of<T>>& values, const blas::matrix<T>& x,
                       const events& depends);

/// to[v] = the sum of from[source[k]] for first[v] <= k < first[v + 1]. A source is an element of a vector,
/// or of a matrix, row by row.
template <typename T>
sycl::event gather(sycl::queue& queue, std::size_t count, const index_place& first, const index_place& source,
                   const blas::matrix<T>& from, const blas::place<blas::real_of<T>>& to,
                   const events& depends);
sycl::event copy_indices(sycl::queue& queue, std::size_t count, const index_place& from,
                         const index_place& to, const events& depends);

template <typename T>
sycl::event to_dense(sycl::queue& queue, const rows_in_memory& a, const blas::place<blas::real_of<T>>& values,
                     const blas::matrix<T>& dense, const events& depends);

/// The values of C = A B, whose structure is `c`; `columns` of C.
template <typename T>
sycl::event product_values(sycl::queue& queue, const rows_in_memory& a,
                           const blas::place<blas::real_of<T>>& a_values, const rows_in_memory& b,
                           const blas::place<blas::real_of<T>>& b_values, const rows_in_memory& c,
                           const blas::place<blas::real_of<T>>& c_values, std::size_t columns,
                           const events& depends);

} // namespace prism::sparse
