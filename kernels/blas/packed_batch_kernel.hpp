// The kernel of batches of small products of real numbers on processors. Eight sums are enough to hide the
// latency of a multiplication, and 8 rows divide the usual extents. The tiles are as wide as C where that is
// less than a vector: a tile of 16 columns would compute 4 x 4 products in 2.8 times the time.
#pragma once

#include "kernels/blas/gemm_tile.hpp"
#include "kernels/blas/packed_batch.hpp"
#include "kernels/blas/panel.hpp"

#include <algorithm>

namespace prism::blas {

/// The last `Rows` or fewer rows of a column of tiles, by parts of 8, 4, 2 and 1 rows.
template <typename Tile, int Rows>
void multiply_rest(const source<const typename Tile::real>& a, const typename Tile::panel& right,
                   const gemm_target<typename Tile::real>& c, std::size_t row, std::size_t column,
                   std::size_t columns, std::size_t steps, std::size_t rest) {
  if (rest >= Rows) {
    finished<Tile> sum;
    Tile::template multiply_first<Rows>(
        sum, {a.data + std::ptrdiff_t(row) * a.row_stride, a.row_stride, a.column_stride, 0}, right, steps);
    store<Tile>(sum, c, row, column, Rows, columns);
    row += Rows, rest -= Rows;
  }
  if constexpr (Rows > 1)
    if (rest != 0) multiply_rest<Tile, Rows / 2>(a, right, c, row, column, columns, steps, rest);
}

/// A batch of small products of general real matrices: a group computes several, one after the other. A is
/// read where it is. So is B where its rows are contiguous: the last lanes of a tile may read numbers that
/// follow a row, which belong to the next product. Only the last product has none behind it. One kernel.
template <typename Tile, typename T>
std::optional<sycl::event> packed_batch(sycl::queue& queue, const product<T>& what,
                                        const std::vector<sycl::event>& depends = {}) {
  using real = typename Tile::real;
  static_assert(Tile::parts == 1);
  constexpr std::size_t tile_rows = Tile::rows, tile_columns = Tile::columns;
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
          if (!in_place && b.column_stride == 1) {
            for (std::size_t step = 0; step < k; ++step)
              for (std::size_t x = 0; x < tile_columns; ++x)
                right[step * tile_columns + x] =
                    x < columns ? b.data[static_cast<std::ptrdiff_t>(step) * b.row_stride +
                                         std::ptrdiff_t(column + x)]
                                : real(0);
          } else if (!in_place) {
            pack<int(tile_columns), 1>(right, b.transposed(), column, columns, 0, k);
          }
          const real* const panel = in_place ? b.data + column : right;
          const std::ptrdiff_t step = in_place ? b.row_stride : std::ptrdiff_t(tile_columns);
          std::size_t row = 0;
          for (; row + tile_rows <= m; row += tile_rows) {
            finished<Tile> sum;
            Tile::multiply(sum,
                           {a.data + std::ptrdiff_t(row) * a.row_stride, a.row_stride, a.column_stride, 0},
                           {panel, 1, step, 0}, k);
            store<Tile>(sum, c, row, column, tile_rows, columns);
          }
          if (row < m)
            multiply_rest<Tile, Tile::rows / 2>(a, {panel, 1, step, 0}, c, row, column, columns, k, m - row);
        }
      }
    });
  });
}

} // namespace prism::blas
