// The library's own product of matrices, C = alpha A B + beta C, on which level 3 is built: one interface,
// two algorithms. `multiply` chooses.
#pragma once

#include "kernels/blas/gemm_target.hpp"
#include "kernels/blas/operand.hpp"

namespace prism::blas {

using events = std::vector<sycl::event>;

/// What is computed. C is written as it is, never conjugated; with `all` false only one triangle of it.
template <typename T>
struct product {
  using real = real_of<T>;
  factor<real> alpha;
  matrix<T> a, b;
  factor<real> beta;
  matrix<T> c;
  bool all = true, lower = false, real_diagonal = false;
  std::size_t count = 1; // a batch of as many, of general matrices

  /// The same product with C's transpose in its place.
  product transposed() const {
    return {alpha, b.transposed(), a.transposed(), beta, c.transposed(), all, !lower, real_diagonal, count};
  }
  /// One product of a batch.
  product number(std::size_t i) const {
    return {alpha, a.number(i), b.number(i), beta, c.number(i), all, lower, real_diagonal, 1};
  }
  gemm_target<real> target(sycl::handler& h) const {
    return {c.where.read_write(h), c.row_stride, c.column_stride, alpha,         beta,
            !beta.is(real(0)),     all,          lower,           real_diagonal, c.where.offset};
  }
};

/// Any extents, any strides, operands of any form but triangular; C overlaps none. Submits, does not wait.
template <typename T>
sycl::event multiply(sycl::queue& queue, const product<T>& what, const events& depends);

/// C = beta C where `what` says so; A and B are not looked at.
template <typename T>
sycl::event scale(sycl::queue& queue, const product<T>& what, const events& depends);

/// By packed panels, for CPUs (packed_gemm.hpp); C's rows should be contiguous.
template <typename T>
sycl::event multiply_packed(sycl::queue& queue, const product<T>& what, const events& depends);
/// By tiles in the registers of work-items, A and B general; for all other devices.
template <typename T>
sycl::event multiply_in_registers(sycl::queue& queue, const product<T>& what, const events& depends);

/// y = alpha A x + beta y; A of any form but triangular.
template <typename T>
sycl::event multiply_vector(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                            const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                            const events& depends);

/// B = alpha A B for a triangular A (as its matrix says), or B = alpha inv(A) B with `solves`.
template <typename T>
sycl::event triangular(sycl::queue& queue, bool solves, const factor<real_of<T>>& alpha, const matrix<T>& a,
                       const matrix<T>& b, const events& depends);

/// Levels 1: by the operation of the request, whose extents were checked.
template <typename T>
sycl::event level1(sycl::queue& queue, const detail::request& what, const events& depends);
template <typename T>
sycl::event reduction(sycl::queue& queue, const detail::request& what, const events& depends);
template <typename T>
sycl::event make_rotation(sycl::queue& queue, const detail::request& what, const events& depends);

} // namespace prism::blas
