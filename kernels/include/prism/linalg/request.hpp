// How a call of <prism/linalg.hpp> reaches the library: as plain data, as calls of <prism/blas.hpp> do.
// Programs use <prism/linalg.hpp>.
#pragma once

#include <prism/blas.hpp>

namespace prism::linalg::detail {

enum class task : std::int32_t {
  transpose,
  transpose_in_place,
  norm,
  lu,
  lu_solve,
  cholesky,
  cholesky_solve,
  qr,
  qr_pivoted,
  multiply_q,
  form_q,
  solve,
  solve_positive,
  least_squares,
  least_squares_by_svd,
  inverse,
  determinant,
  log_determinant,
  exp,
  sqrt,
  eigh,
  eigh_generalised,
  eig,
  eig_of_both_sides,
  svd
};

/// One call. `option`: the kind of norm, the operation of a solution; `right`, `adjoint`: of multiply_q.
struct request : blas::detail::request {
  task job;
  std::int32_t option = 0;
  bool lower = false, right = false, adjoint = false;
  double tolerance = 0;
  explicit request(task what) : blas::detail::request(0), job(what) {}
  /// Of a batch: a row for each matrix, a number for each matrix.
  template <typename T, typename Place>
  void add_each(const char* name, const matrix_view<T, Place>& rows) {
    add(name, rows.transposed());
  }
  template <typename T, typename Place>
  void add_each(const char* name, const vector_view<T, Place>& one) {
    add(name, matrix_view<T, Place>(one.data, 1, one.size, 1, one.stride));
  }
};

/// The place of elements of another type in the same kind of memory.
template <typename Place, typename U>
struct rebound;
template <typename T, typename U>
struct rebound<T*, U> {
  using type = U*;
};
template <typename T, typename U>
struct rebound<buffer_place<T>, U> {
  using type = buffer_place<U>;
};

/// Checks the request and submits it.
sycl::event run(sycl::queue& queue, const request& what, const std::vector<sycl::event>& depends);

} // namespace prism::linalg::detail
