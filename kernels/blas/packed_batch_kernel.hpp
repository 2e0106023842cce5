// The kernel of batches of small products of real numbers on processors. Eight sums are enough to hide the
// latency of a multiplication, and 8 rows divide the usual extents. The tiles are as wide as C where that is
// less than a vector: a tile of 16 columns would compute 4 x 4 products in 2.8 times the time.
#pragma once

#include "kernels/blas/gemm_tile.hpp"
#include "kernels/blas/packed_batch.hpp"

#include <algorithm>

namespace prism::blas {

/// Copies `columns` columns of a general B to a panel as wide as a tile, with zeros behind them.
template <typename Tile>
void pack_columns(typename Tile::real* to, const source<const typename Tile::real>& b, std::size_t column,
                  std::size_t columns, std::size_t steps) {
  using real = typename Tile::real;
  const real* data = b.data + std::ptrdiff_t(column) * b.column_stride;
#pragma clang loop unroll(disable)
  for (std::size_t x = 0; x < Tile::columns; ++x, data += b.column_stride) {
    const real* from = data;
    real* line = to + x;
    if (x < columns) {
#pragma clang loop unroll(disable) vectorize(disable)
      for (std::size_t step = 0; step < steps; ++step, from += b.row_stride, line += Tile::columns)
        *line = *from;
    } else {
#pragma clang loop unroll(disable) vectorize(disable)
      for (std::size_t step = 0; step < steps; ++step, line += Tile::columns) *line = 0;
    }
  }
}

/// Computes 8, 4, 2 or 1 rows of a tile, the most that `rest` rows have, and returns how many.
template <typename Tile>
std::size_t multiply_some(finished<Tile>& sum, const typename Tile::panel& left,
                          const typename Tile::panel& right, std::size_t steps, std::size_t rest) {
  static_assert(Tile::rows == 8);
  if (rest >= 8) return Tile::template multiply_first<8>(sum, left, right, steps), 8;
  if (rest >= 4) return Tile::template multiply_first<4>(sum, left, right, steps), 4;
  if (rest >= 2) return Tile::template multiply_first<2>(sum, left, right, steps), 2;
  return Tile::template multiply_first<1>(sum, left, right, steps), 1;
}

/// Writes the first rows and columns of a tile to a C of which all is written.
template <typename Tile, typename Real>
void store_corner(const finished<Tile>& sum, const gemm_target<Real>& c, std::size_t row, std::size_t column,
                  std::size_t rows, std::size_t columns) {
  using lanes = typename Tile::lanes;
  constexpr int width = int(lanes::size());
  const Real alpha = c.alpha.parts[0], beta = c.beta.parts[0];
  Real* line = c.data + (std::ptrdiff_t(row) * c.row_stride + std::ptrdiff_t(column) * c.column_stride);
  const bool is_whole = columns == Tile::columns && c.column_stride == 1;
#pragma clang loop unroll(disable)
  for (std::size_t r = 0; r < rows; ++r, line += c.row_stride) {
    if (is_whole) {
#pragma clang loop unroll(disable)
      for (std::size_t v = 0; v < Tile::columns / width; ++v) {
        lanes value, old;
        value.load(v, sum[0][r]);
        if (c.reads) {
          old.load(v, line);
#pragma unroll
          for (int x = 0; x < width; ++x) value[x] = alpha * value[x] + beta * old[x];
        } else {
#pragma unroll
          for (int x = 0; x < width; ++x) value[x] = alpha * value[x];
        }
        value.store(v, line);
      }
    } else if (c.column_stride == 1) {
#pragma clang loop unroll(disable)
      for (std::size_t x = 0; x < columns; ++x)
        line[x] = c.reads ? alpha * sum[0][r][x] + beta * line[x] : alpha * sum[0][r][x];
    } else {
      Real* to = line;
#pragma clang loop unroll(disable) vectorize(disable)
      for (std::size_t x = 0; x < columns; ++x, to += c.column_stride)
        *to = c.reads ? alpha * sum[0][r][x] + beta * *to : alpha * sum[0][r][x];
    }
  }
}

/// A batch of small products of general real matrices: a group computes several, one after the other. A is
/// read where it is. So is B where its rows are contiguous: the last lanes of a tile may read numbers that
/// follow a row, which belong to the next product. Only the last product has none behind it. One kernel.
template <typename Tile, typename T>
std::optional<sycl::event> packed_batch(sycl::queue& queue, const product<T>& what,
                                        const std::vector<sycl::event>& depends = {}) {
  using real = typename Tile::real;
  static_assert(Tile::parts == 1);
  constexpr std::size_t tile_columns = Tile::columns;
  constexpr std::size_t least_work = 1 << 17, least_groups = 16; // multiplications of a group
  const std::size_t m = what.c.rows, n = what.c.columns, k = what.a.columns, count = what.count;
  if (tile_columns * k * sizeof(real) > queue.get_device().get_info<sycl::info::device::local_mem_size>())
    return {};
  const std::size_t per_group = std::clamp<std::size_t>(least_work / std::max<std::size_t>(1, m * n * k), 1,
                                                        (count + least_groups - 1) / least_groups);
  // A product whose matrix B is followed by another, at least as far away as a tile is wide.
  const std::size_t followed =
      what.b.between >= std::ptrdiff_t(tile_columns) && what.b.row_stride >= 0 ? count - 1 : 0;
  const std::ptrdiff_t between[] = {what.a.between, what.b.between, what.c.between};
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::local_accessor<real> panels(tile_columns * k, h);
    const auto all_of_a = what.a.read(h), all_of_b = what.b.read(h);
    const gemm_target<real> all_of_c = what.target(h);
    const std::ptrdiff_t a_step = between[0], b_step = between[1], c_step = between[2];
    h.parallel_for(sycl::nd_range<1>((count + per_group - 1) / per_group, 1),
                   [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
      real* const right = &panels[0];
      const std::size_t first = item.get_group(0) * per_group, last = std::min(first + per_group, count);
      for (std::size_t number = first; number < last; ++number) {
        auto a = all_of_a.placed(), b = all_of_b.placed();
        gemm_target<real> c = all_of_c.placed();
        a.data += static_cast<std::ptrdiff_t>(number) * a_step;
        b.data += static_cast<std::ptrdiff_t>(number) * b_step;
        c.data += static_cast<std::ptrdiff_t>(number) * c_step;
        for (std::size_t column = 0; column < n; column += tile_columns) {
          const std::size_t columns = std::min(tile_columns, n - column);
          const bool in_place = b.column_stride == 1 && (columns == tile_columns || number < followed);
          if (!in_place) pack_columns<Tile>(right, b, column, columns, k);
          const real* const panel = in_place ? b.data + column : right;
          const std::ptrdiff_t step = in_place ? b.row_stride : std::ptrdiff_t(tile_columns);
          for (std::size_t row = 0; row < m;) {
            finished<Tile> sum;
            const std::size_t rows = multiply_some<Tile>(
                sum, {a.data + std::ptrdiff_t(row) * a.row_stride, a.row_stride, a.column_stride, 0},
                {panel, 1, step, 0}, k, m - row);
            store_corner<Tile>(sum, c, row, column, rows, columns);
            row += rows;
          }
        }
      }
    });
  });
}

} // namespace prism::blas
