// The target of a matrix product, as its kernels see it.
#pragma once

#include "kernels/blas/source.hpp"

namespace prism::blas {

/// How a sum is written: C = alpha * sum + beta * C; outside of a triangle nothing is written. Strides count
/// components.
template <typename Real>
struct gemm_target {
  Real* data;
  std::ptrdiff_t row_stride, column_stride;
  factor<Real> alpha, beta;
  bool reads = true;              // false: beta is 0 and C is not read
  bool all = true, lower = false; // for a square C: all of it, or one triangle with the diagonal
  bool real_diagonal = false;     // for Hermitian results
  std::ptrdiff_t offset = 0;      // of the first element after `data`; a kernel adds it by `placed`

  gemm_target placed() const {
    gemm_target out = *this;
    out.data += offset, out.offset = 0;
    return out;
  }
  bool touches(std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) const {
    return all || (lower ? row + rows > column : column + columns > row);
  }
  bool has(std::size_t row, std::size_t column) const {
    return all || (lower ? row >= column : column >= row);
  }
};

} // namespace prism::blas
