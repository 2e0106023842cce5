// A matrix times a vector, bound by the memory that the matrix is read from. Work-item (i, p) adds the part p
// of row i; a second kernel adds the parts. Where the elements of a row are neighbours, the parts of a row
// take turns in it, so that neighbouring work-items read neighbours; else each part is a run of columns, and
// neighbouring work-items have neighbouring rows. The order of the additions depends on the shape alone.
#include "kernels/blas/product.hpp"

#include <algorithm>
#include <cstdlib>

namespace prism::blas {
namespace {

constexpr std::size_t turns = 16;            // parts of a row whose elements are neighbours
constexpr std::size_t least_items = 1 << 12; // that keep a device busy
constexpr std::size_t least_run = 64;        // columns of a part
constexpr std::size_t most_run = 1 << 14;    // software drivers bound the loops of a work-item

/// How the columns are divided: part p takes columns p * first, p * first + step, ..., at most `count`.
struct division {
  std::size_t parts, first, step, count;
};
division divided(std::size_t rows, std::size_t columns, bool neighbours_in_rows) {
  if (neighbours_in_rows) {
    const std::size_t parts = std::max(turns, (columns + most_run - 1) / most_run);
    return {parts, 1, parts, (columns + parts - 1) / parts};
  }
  const std::size_t wanted = std::max((least_items + rows - 1) / rows, (columns + most_run - 1) / most_run);
  const std::size_t parts = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, columns / least_run));
  const std::size_t run = (columns + parts - 1) / parts;
  return {(columns + run - 1) / run, run, 1, run};
}

/// The sum over one part of one row.
template <typename T, bool Mirrored>
struct row_sum {
  using real = real_of<T>;
  source<const real> a;
  elements<const real> x;
  division by;
  bool x_conjugate;

  void operator()(std::size_t i, std::size_t p, real (&sum)[parts_of<T>]) const {
    constexpr int parts = parts_of<T>;
    const real sign_x = x_conjugate ? real(-1) : real(1), sign_a = a.conjugate ? real(-1) : real(1);
    const std::size_t first = p * by.first, last = by.step == 1 ? std::min(first + by.count, x.size) : x.size;
    const source<const real> from = a.placed();
    const real* const row = from.data + static_cast<std::ptrdiff_t>(i) * from.row_stride;
    const real* const factors = x.data + x.offset;
    real total[parts] = {};
    for (std::size_t j = first; j < last; j += by.step) {
      const real* const factor = factors + static_cast<std::ptrdiff_t>(j) * x.stride;
      real value[parts];
      if constexpr (Mirrored) {
        from.read(i, j, value);
      } else {
        const real* const at = row + static_cast<std::ptrdiff_t>(j) * from.column_stride;
        value[0] = at[0];
        if constexpr (parts == 2) value[1] = sign_a * at[1];
      }
      if constexpr (parts == 1) {
        total[0] += value[0] * factor[0];
      } else {
        const real re = factor[0], im = sign_x * factor[1];
        total[0] += value[0] * re - value[1] * im;
        total[1] += value[0] * im + value[1] * re;
      }
    }
    for (int part = 0; part < parts; ++part) sum[part] = total[part];
  }
};

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

template <typename T, bool Mirrored>
sycl::event multiply_divided(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                             const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                             const events& depends) {
  using real = real_of<T>;
  constexpr std::size_t parts = parts_of<T>;
  const std::size_t rows = a.rows, columns = a.columns;
  const bool by_rows = std::abs(a.column_stride) < std::abs(a.row_stride);
  const division by = divided(rows, columns, by_rows);
  const bool reads = !beta.is(real(0));
  if (by.parts == 1)
    return queue.submit([&](sycl::handler& h) {
      h.depends_on(depends);
      const row_sum<T, Mirrored> add{a.read(h), x.read(h), by, x.conjugate};
      const finish<T> end{y.write(h), alpha, beta, reads};
      h.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> i) {
        real sum[parts];
        add(i[0], 0, sum);
        end(i[0], sum);
      });
    });
  sycl::buffer<real> sums{sycl::range<1>(rows * by.parts * parts)};
  queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const row_sum<T, Mirrored> add{a.read(h), x.read(h), by, x.conjugate};
    sycl::accessor to(sums, h, sycl::write_only, sycl::no_init);
    const sycl::range<2> items = by_rows ? sycl::range<2>(rows, by.parts) : sycl::range<2>(by.parts, rows);
    h.parallel_for(items, [=](sycl::id<2> at) {
      const std::size_t i = by_rows ? at[0] : at[1], p = by_rows ? at[1] : at[0];
      real sum[parts];
      add(i, p, sum);
      for (std::size_t part = 0; part < parts; ++part) to[(p * rows + i) * parts + part] = sum[part];
    });
  });
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor from(sums, h, sycl::read_only);
    const finish<T> end{y.write(h), alpha, beta, reads};
    const std::size_t count = by.parts;
    h.parallel_for(sycl::range<1>(rows), [=](sycl::id<1> i) {
      real sum[parts] = {};
      for (std::size_t p = 0; p < count; ++p)
        for (std::size_t part = 0; part < parts; ++part) sum[part] += from[(p * rows + i[0]) * parts + part];
      end(i[0], sum);
    });
  });
}

} // namespace

template <typename T>
sycl::event multiply_vector(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                            const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                            const events& depends) {
  if (y.size == 0) return queue.ext_oneapi_submit_barrier(depends);
  if (alpha.is(real_of<T>(0)) || x.size == 0)
    return scale<T>(queue, {alpha, a, matrix<T>(x), beta, matrix<T>(y)}, depends);
  return a.kind == form::general ? multiply_divided<T, false>(queue, alpha, a, x, beta, y, depends)
                                 : multiply_divided<T, true>(queue, alpha, a, x, beta, y, depends);
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event multiply_vector<T>(sycl::queue&, const factor<real_of<T>>&, const matrix<T>&,         \
                                          const vector<T>&, const factor<real_of<T>>&, const vector<T>&,     \
                                          const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)

} // namespace prism::blas
