// The library's own matrix product, C = alpha A B + beta C, which level 3 uses: one interface, two
// algorithms. `multiply` chooses.
#pragma once

#include "kernels/blas/gemm_target.hpp"
#include "kernels/blas/operand.hpp"
#include "kernels/blas/parameters.hpp"

namespace prism::blas {

using events = std::vector<sycl::event>;

/// A product to compute. C is written as stored, never conjugated. If `all` is false, only one triangle is
/// written.
template <typename T>
struct product {
  using real = real_of<T>;
  factor<real> alpha;
  matrix<T> a, b;
  factor<real> beta;
  matrix<T> c;
  bool all = true, lower = false, real_diagonal = false;
  std::size_t count = 1; // the number of products in a batch, all of general matrices
  gemm_parameters how = {};

  /// The product that gives the transpose of C.
  product transposed() const {
    return {alpha, b.transposed(), a.transposed(), beta,  c.transposed(),
            all,   !lower,         real_diagonal,  count, how};
  }
  /// One product of the batch.
  product number(std::size_t i) const {
    return {alpha, a.number(i), b.number(i), beta, c.number(i), all, lower, real_diagonal, 1, how};
  }
  gemm_target<real> target(sycl::handler& h) const {
    return {c.where.read_write(h), c.row_stride, c.column_stride, alpha,         beta,
            !beta.is(real(0)),     all,          lower,           real_diagonal, c.where.offset};
  }
};

/// For any extents and strides, and operands of any form except triangular. C must not overlap an operand.
/// Submits and does not wait.
template <typename T>
sycl::event multiply(sycl::queue& queue, const product<T>& what, const events& depends);

/// The parameters that the tuning database has for a product of float or double with so many
/// multiplications.
gemm_parameters tuned_parameters(const sycl::device& device, bool is_double, double products);
/// Whether the device runs the packed product of real numbers.
bool runs_packed(const sycl::device& device);
/// Whether a processor has vectors of 64 bytes, and then 32 of them. Others have 16 of 32 bytes, which tiles
/// for the wide ones do not fit: a product of floats takes 2.3 times as long with them (EPYC without
/// AVX-512).
bool has_wide_vectors(const sycl::device& device);

/// C = beta C, for the elements of C that the product writes. A and B are not read.
template <typename T>
sycl::event scale(sycl::queue& queue, const product<T>& what, const events& depends);

/// By packed panels, for CPUs (packed_gemm.hpp). C's rows should be contiguous. The tiles are for 32
/// registers of 64 bytes on the host, for 32 of 32 bytes with OpenCL, and for 16 of 32 bytes.
template <typename T>
sycl::event multiply_packed_wide(sycl::queue& queue, const product<T>& what, const events& depends);
template <typename T>
sycl::event multiply_packed_half(sycl::queue& queue, const product<T>& what, const events& depends);
template <typename T>
sycl::event multiply_packed_narrow(sycl::queue& queue, const product<T>& what, const events& depends);
/// With tiles in the registers of work-items, for general A and B; for all other devices.
template <typename T>
sycl::event multiply_in_registers(sycl::queue& queue, const product<T>& what, const events& depends);

/// y = alpha A x + beta y, for A of any form except triangular.
template <typename T>
sycl::event multiply_vector(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                            const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                            const events& depends);

/// B = alpha A B for a triangular A (as its matrix states), or B = alpha inv(A) B if `solves`.
template <typename T>
sycl::event triangular(sycl::queue& queue, bool solves, const factor<real_of<T>>& alpha, const matrix<T>& a,
                       const matrix<T>& b, const events& depends);

/// Level 1: does the operation of the request, whose extents were checked.
template <typename T>
sycl::event level1(sycl::queue& queue, const detail::request& what, const events& depends);
template <typename T>
sycl::event reduction(sycl::queue& queue, const detail::request& what, const events& depends);
template <typename T>
sycl::event make_rotation(sycl::queue& queue, const detail::request& what, const events& depends);

} // namespace prism::blas
