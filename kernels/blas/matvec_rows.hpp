// A matrix times a vector on processors, where the elements of rows are contiguous: the memory of several
// rows is read at once, which a processor loads faster than one row after the other, and each element of x is
// loaded once for all of them. The order of the additions of a row depends only on its length.
//
// Source: K. Goto & R. van de Geijn, High-performance implementation of the level-3 BLAS (2008), section 7,
// for the rows at once.
#pragma once

#include "kernels/blas/matvec.hpp"

namespace prism::blas {
namespace matvec_detail {

/// The sums over `Rows` adjacent rows, each by as many sums as fill some vectors.
template <typename T, int Rows>
struct rows_sum {
  using real = real_of<T>;
  static constexpr std::size_t width = 64 / sizeof(T), parts = parts_of<T>;
  source<const real> a;
  elements<const real> x;
  bool x_conjugate;

  template <typename Write>
  void operator()(std::size_t first, const Write& write) const {
    const real sign_x = x_conjugate ? real(-1) : real(1), sign_a = a.conjugate ? real(-1) : real(1);
    const std::ptrdiff_t apart = a.row_stride;
    const real* from = a.data + (a.offset + static_cast<std::ptrdiff_t>(first) * apart);
    const real* factor = x.at(0);
    real sums[Rows][parts][width] = {};
    const auto add = [&](int r, std::size_t w) {
      const real* const at = from + r * apart + w * parts;
      if constexpr (parts == 1) {
        sums[r][0][w] += at[0] * factor[w];
      } else {
        const real a_re = at[0], a_im = sign_a * at[1], re = factor[2 * w], im = sign_x * factor[2 * w + 1];
        sums[r][0][w] += a_re * re - a_im * im;
        sums[r][1][w] += a_re * im + a_im * re;
      }
    };
    const std::size_t count = x.size;
    std::size_t j = 0;
#pragma unroll 1
    for (; j + width <= count; j += width, from += width * parts, factor += width * parts)
#pragma unroll
      for (int r = 0; r < Rows; ++r)
#pragma unroll
        for (std::size_t w = 0; w < width; ++w) add(r, w);
#pragma unroll 1
    for (; j < count; ++j, from += parts, factor += parts)
#pragma unroll
      for (int r = 0; r < Rows; ++r) add(r, 0);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      real sum[parts];
      for (std::size_t part = 0; part < parts; ++part) {
        real total = sums[r][part][0];
#pragma unroll
        for (std::size_t w = 1; w < width; ++w) total += sums[r][part][w];
        sum[part] = total;
      }
      write(first + std::size_t(r), sum);
    }
  }
};

} // namespace matvec_detail

template <typename T>
sycl::event multiply_rows(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                          const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                          const events& depends) {
  constexpr int together = parts_of<T> == 1 ? 4 : 2; // as many sums as registers hold
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const matvec_detail::rows_sum<T, together> add{a.read(h), x.read(h), x.conjugate};
    const matvec_detail::rows_sum<T, 1> add_one{add.a, add.x, add.x_conjugate};
    const finish<T> end{y.write(h), alpha, beta, !beta.is(real_of<T>(0))};
    const std::size_t rows = a.rows;
    h.parallel_for(sycl::range<1>((rows + together - 1) / together), [=](sycl::id<1> i) {
      const std::size_t first = i[0] * together;
      const auto write = [&](std::size_t row, const real_of<T>(&sum)[parts_of<T>]) { end(row, sum); };
      if (rows - first >= together) return add(first, write);
#pragma unroll 1
      for (std::size_t row = first; row < rows; ++row) add_one(row, write);
    });
  });
}

/// Instantiates them, in one file for each type.
#define PRISM_MULTIPLY_ROWS(T)                                                                               \
  template sycl::event multiply_rows<T>(sycl::queue&, const factor<real_of<T>>&, const matrix<T>&,           \
                                        const vector<T>&, const factor<real_of<T>>&, const vector<T>&,       \
                                        const events&);

} // namespace prism::blas
