// A matrix times a vector, limited by the memory bandwidth for the matrix. Work-item (i, p) sums part p of
// row i; a second kernel adds the parts. If the elements of a row are contiguous, its parts interleave, so
// that adjacent work-items read adjacent elements. Otherwise each part is a range of columns, and adjacent
// work-items have adjacent rows. The order of the additions depends only on the shape.
#include "kernels/blas/matvec.hpp"

#include <algorithm>
#include <cstdlib>

namespace prism::blas {
namespace {

constexpr std::size_t turns = 64;            // parts of a row with contiguous elements
constexpr std::size_t least_items = 1 << 12; // enough to keep a device busy
constexpr std::size_t strip_items = 2;       // a strip of rows counts as a multiple of them
constexpr std::size_t least_run = 64;        // columns of a part
constexpr std::size_t most_run = 1 << 14;    // software drivers limit the loop iterations of a work-item

/// How the columns are divided: part p has columns p * first, p * first + step, ..., at most `count`.
struct division {
  std::size_t parts, first, step, count;
};
division divided(std::size_t rows, std::size_t columns, bool neighbours_in_rows) {
  if (neighbours_in_rows) return {turns, 1, turns, (columns + turns - 1) / turns};
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

/// The sums over one part of several adjacent rows, as many as fill some vectors of a processor. Their
/// elements are contiguous, and one column of them is read at once.
template <typename T>
struct strip_sum {
  using real = real_of<T>;
  static constexpr std::size_t rows = 256 / sizeof(T), parts = parts_of<T>;
  row_sum<T, false> one;

  template <typename Write>
  void operator()(std::size_t i, std::size_t p, std::size_t all_rows, const Write& write) const {
    if (all_rows - i < rows) {
      for (; i < all_rows; ++i) {
        real sum[parts];
        one(i, p, sum);
        write(i, sum);
      }
      return;
    }
    const real sign_x = one.x_conjugate ? real(-1) : real(1), sign_a = one.a.conjugate ? real(-1) : real(1);
    const std::size_t first = p * one.by.first, last = sycl::min(first + one.by.count, one.x.size);
    const real* from = one.a.data + (one.a.offset + static_cast<std::ptrdiff_t>(i * parts) +
                                     static_cast<std::ptrdiff_t>(first) * one.a.column_stride);
    const real* factor = one.x.at(first);
    real sums[parts][rows] = {};
    for (std::size_t j = first; j < last; ++j, from += one.a.column_stride, factor += one.x.stride) {
      if constexpr (parts == 1) {
        const real by = factor[0];
#pragma unroll
        for (std::size_t r = 0; r < rows; ++r) sums[0][r] += from[r] * by;
      } else {
        const real re = factor[0], im = sign_x * factor[1];
#pragma unroll
        for (std::size_t r = 0; r < rows; ++r) {
          const real a_re = from[2 * r], a_im = sign_a * from[2 * r + 1];
          sums[0][r] += a_re * re - a_im * im;
          sums[1][r] += a_re * im + a_im * re;
        }
      }
    }
#pragma unroll
    for (std::size_t r = 0; r < rows; ++r) {
      real sum[parts];
      for (std::size_t part = 0; part < parts; ++part) sum[part] = sums[part][r];
      write(i + r, sum);
    }
  }
};

/// y = alpha (the sum of `count` parts) + beta y.
template <typename T>
sycl::event join_parts(sycl::queue& queue, const factor<real_of<T>>& alpha, sycl::buffer<real_of<T>>& sums,
                       std::size_t count, std::size_t next_row, std::size_t next_part,
                       const factor<real_of<T>>& beta, const vector<T>& y, const events& depends) {
  using real = real_of<T>;
  constexpr std::size_t parts = parts_of<T>;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor from(sums, h, sycl::read_only);
    const finish<T> end{y.write(h), alpha, beta, !beta.is(real(0))};
    h.parallel_for(sycl::range<1>(y.size), [=](sycl::id<1> i) {
      real sum[parts] = {};
      for (std::size_t p = 0; p < count; ++p)
        for (std::size_t part = 0; part < parts; ++part)
          sum[part] += from[(p * next_part + i[0] * next_row) * parts + part];
      end(i[0], sum);
    });
  });
}

template <typename T, bool Mirrored>
sycl::event multiply_divided(sycl::queue& queue, const factor<real_of<T>>& alpha, const matrix<T>& a,
                             const vector<T>& x, const factor<real_of<T>>& beta, const vector<T>& y,
                             const events& depends) {
  using real = real_of<T>;
  constexpr std::size_t parts = parts_of<T>;
  const std::size_t rows = a.rows, columns = a.columns;
  const bool by_rows = std::abs(a.column_stride) < std::abs(a.row_stride) && columns >= least_run;
  const bool reads = !beta.is(real(0));
  const sycl::device device = queue.get_device();
  const bool in_strips = !Mirrored && !by_rows && a.row_stride == std::ptrdiff_t(parts) && device.is_cpu() &&
                         device.get_backend() != sycl::backend::ext_prism_vulkan;
  const bool in_runs = !Mirrored && by_rows && a.column_stride == std::ptrdiff_t(parts) &&
                       x.stride == std::ptrdiff_t(parts) && device.is_cpu() &&
                       device.get_backend() != sycl::backend::ext_prism_vulkan;
  if constexpr (!Mirrored)
    if (in_runs) return multiply_rows<T>(queue, alpha, a, x, beta, y, depends);
  const division by = divided(in_strips ? rows * strip_items : rows, columns, by_rows);
  if (by.parts == 1 && !in_strips)
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
    if (by_rows)
      h.parallel_for(sycl::nd_range<2>({rows, by.parts}, {1, by.parts}), [=](sycl::nd_item<2> item) {
        const std::size_t i = item.get_group(0), p = item.get_local_id(1);
        real sum[parts];
        add(i, p, sum);
        for (std::size_t part = 0; part < parts; ++part) to[(i * turns + p) * parts + part] = sum[part];
      });
    else if (in_strips) {
      if constexpr (!Mirrored) {
        const strip_sum<T> strip{add};
        const std::size_t strips = (rows + strip.rows - 1) / strip.rows;
        h.parallel_for(sycl::range<2>(by.parts, strips), [=](sycl::id<2> at) {
          strip(at[1] * strip.rows, at[0], rows, [&](std::size_t i, const real(&sum)[parts]) {
            for (std::size_t part = 0; part < parts; ++part)
              to[(at[0] * rows + i) * parts + part] = sum[part];
          });
        });
      }
    } else
      h.parallel_for(sycl::range<2>(by.parts, rows), [=](sycl::id<2> at) {
        const std::size_t i = at[1], p = at[0];
        real sum[parts];
        add(i, p, sum);
        for (std::size_t part = 0; part < parts; ++part) to[(p * rows + i) * parts + part] = sum[part];
      });
  });
  return join_parts<T>(queue, alpha, sums, by.parts, by_rows ? turns : 1, by_rows ? 1 : rows, beta, y,
                       depends);
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
#undef PRISM_INSTANTIATE

} // namespace prism::blas
