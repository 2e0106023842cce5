// B = alpha A B and B = alpha inv(A) B for a triangular A, in blocks. A kernel handles the blocks on the
// diagonal: a work-item computes one column of B, row by row. The library's product handles all other blocks.
// Source: Dongarra, Du Croz, Duff, Hammarling 1990; Kagstrom, Ling, Van Loan 1998, "GEMM-based level 3 BLAS".
#include "kernels/blas/product.hpp"

#include <algorithm>

namespace prism::blas {
namespace {

constexpr std::size_t block_rows = 64;

/// One column of B times a block of A, or times its inverse, in place. The order of the rows is such that no
/// row is read after it was written (products), or only after it was written (solutions).
template <typename T, bool Solves>
struct diagonal_block {
  using real = real_of<T>;
  static constexpr int parts = parts_of<T>;
  source<const real> a;
  source<const real> b_shape; // strides of B
  real* b;
  factor<real> alpha;
  std::uint32_t rows;

  static void multiply(const real (&x)[parts], const real (&y)[parts], real (&to)[parts]) {
    if constexpr (parts == 1) {
      to[0] = x[0] * y[0];
    } else {
      to[0] = x[0] * y[0] - x[1] * y[1];
      to[1] = x[0] * y[1] + x[1] * y[0];
    }
  }
  /// Smith 1962: the square of the divisor does not overflow.
  static void divide(real (&value)[parts], const real (&by)[parts]) {
    if constexpr (parts == 1) {
      value[0] /= by[0];
    } else {
      const real re = value[0], im = value[1];
      if (sycl::fabs(by[0]) >= sycl::fabs(by[1])) {
        const real ratio = by[1] / by[0], scale = by[0] + by[1] * ratio;
        value[0] = (re + im * ratio) / scale, value[1] = (im - re * ratio) / scale;
      } else {
        const real ratio = by[0] / by[1], scale = by[0] * ratio + by[1];
        value[0] = (re * ratio + im) / scale, value[1] = (im * ratio - re) / scale;
      }
    }
  }
  void load(const real* at, real (&to)[parts], real sign) const {
    to[0] = at[0];
    if constexpr (parts == 2) to[1] = sign * at[1];
  }

  void operator()(sycl::id<1> column) const {
    const real* const from = a.data + a.offset;
    real* const first = b + b_shape.offset + static_cast<std::ptrdiff_t>(column[0]) * b_shape.column_stride;
    const real sign = a.conjugate ? real(-1) : real(1);
    // A product proceeds away from the other side of the diagonal, a solution towards it.
    const bool ascends = a.lower == Solves;
    for (std::uint32_t step = 0; step < rows; ++step) {
      const std::uint32_t i = ascends ? step : rows - 1 - step, begin = a.lower ? 0 : i + 1,
                          end = a.lower ? i : rows;
      real* const to = first + static_cast<std::ptrdiff_t>(i) * b_shape.row_stride;
      const real* const row = from + static_cast<std::ptrdiff_t>(i) * a.row_stride;
      real sum[parts] = {}, scaled[parts], own[parts], element[parts], other[parts], diagonal[parts];
      for (std::uint32_t k = begin; k < end; ++k) {
        load(row + static_cast<std::ptrdiff_t>(k) * a.column_stride, element, sign);
        load(first + static_cast<std::ptrdiff_t>(k) * b_shape.row_stride, other, real(1));
        multiply(element, other, own);
        for (int p = 0; p < parts; ++p) sum[p] += own[p];
      }
      load(to, own, real(1));
      if (!a.unit) load(row + static_cast<std::ptrdiff_t>(i) * a.column_stride, diagonal, sign);
      real factor_parts[parts];
      for (int p = 0; p < parts; ++p) factor_parts[p] = alpha.parts[p];
      if constexpr (Solves) {
        multiply(factor_parts, own, scaled);
        for (int p = 0; p < parts; ++p) scaled[p] -= sum[p];
        if (!a.unit) divide(scaled, diagonal);
      } else {
        if (!a.unit) multiply(diagonal, own, element);
        for (int p = 0; p < parts; ++p) sum[p] += a.unit ? own[p] : element[p];
        multiply(factor_parts, sum, scaled);
      }
      for (int p = 0; p < parts; ++p) to[p] = scaled[p];
    }
  }
};

template <typename T, bool Solves>
sycl::event do_block(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                     const matrix<T>& b, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const source<const real_of<T>> shape{nullptr, b.row_stride, b.column_stride, form::general,
                                         false,   false,        false,           b.where.offset};
    h.parallel_for(sycl::range<1>(b.columns),
                   diagonal_block<T, Solves>{a.read(h), shape, b.where.read_write(h), alpha,
                                             static_cast<std::uint32_t>(b.rows)});
  });
}

/// Blocks of rows of B, in the order in which their rows are computed. For a product: first the block on the
/// diagonal, then the blocks next to it, whose rows of B are still unchanged. For a solution: first the
/// contribution of the solved rows, then the block on the diagonal.
template <typename T, bool Solves>
sycl::event in_blocks(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                      const matrix<T>& b, const events& depends) {
  using real = real_of<T>;
  const std::size_t n = b.rows, blocks = (n + block_rows - 1) / block_rows;
  events before = depends;
  const auto then = [&](sycl::event done) { before.assign(1, std::move(done)); };
  for (std::size_t step = 0; step < blocks; ++step) {
    const std::size_t i = (a.lower == Solves ? step : blocks - 1 - step) * block_rows,
                      rows = std::min(block_rows, n - i), beside = a.lower ? 0 : i + rows,
                      count = a.lower ? i : n - i - rows;
    const matrix<T> block = a.block(i, i, rows, rows), to = b.block(i, 0, rows, b.columns);
    matrix<T> off = a.block(i, beside, rows, count), rest = b.block(beside, 0, count, b.columns);
    off.kind = rest.kind = form::general;
    if constexpr (Solves) {
      if (count != 0) {
        then(multiply<T>(queue, {factor<real>(real(-1)), off, rest, alpha, to}, before));
        then(do_block<T, true>(queue, factor<real>(real(1)), block, to, before));
      } else {
        then(do_block<T, true>(queue, alpha, block, to, before));
      }
    } else {
      then(do_block<T, false>(queue, alpha, block, to, before));
      if (count != 0) then(multiply<T>(queue, {alpha, off, rest, factor<real>(real(1)), to}, before));
    }
  }
  return before.front();
}

} // namespace

template <typename T>
sycl::event triangular(sycl::queue& queue, bool solves, const factor<real_of<T>>& alpha, const matrix<T>& a,
                       const matrix<T>& b, const events& depends) {
  if (b.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
  if (alpha.is(real_of<T>(0))) return scale<T>(queue, {alpha, a, b, alpha, b}, depends);
  return solves ? in_blocks<T, true>(queue, alpha, a, b, depends)
                : in_blocks<T, false>(queue, alpha, a, b, depends);
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event triangular<T>(sycl::queue&, bool, const factor<real_of<T>>&, const matrix<T>&,        \
                                     const matrix<T>&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::blas
