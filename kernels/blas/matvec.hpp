// What the kernels of a matrix times a vector have in common (matvec.cpp, matvec_rows.cpp): the result of a
// row, and the product of rows with contiguous elements on processors.
#pragma once

#include "kernels/blas/product.hpp"

namespace prism::blas {

/// Adds the parts of row i and writes y[i].
template <typename T>
struct finish {
  using real = real_of<T>;
  elements<real> y;
  factor<real> alpha, beta;
  bool reads;

  void operator()(std::size_t i, const real (&sum)[parts_of<T>]) const {
    real* const to = y.at(i);
    if constexpr (parts_of<T> == 1) {
      const real value = alpha.parts[0] * sum[0];
      to[0] = reads ? value + beta.parts[0] * to[0] : value;
    } else {
      real re = alpha.parts[0] * sum[0] - alpha.parts[1] * sum[1],
           im = alpha.parts[0] * sum[1] + alpha.parts[1] * sum[0];
      if (reads) {
        const real old_re = to[0], old_im = to[1];
        re += beta.parts[0] * old_re - beta.parts[1] * old_im;
        im += beta.parts[0] * old_im + beta.parts[1] * old_re;
      }
      to[0] = re, to[1] = im;
    }
  }
};

/// y = alpha A x + beta y on a processor, where the elements of A's rows and of x are contiguous.
template <typename T>
sycl::event multiply_rows(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                          const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                          const events& depends);

} // namespace prism::blas
