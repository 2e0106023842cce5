// Batches of small products of real numbers on processors. A file of its own, because the compiler makes
// copies of a file's kernels for wide vectors up to a limit, and these need them. One tile for all shapes, as
// wide as a vector: 8 rows divide the usual extents, and 8 sums are enough to hide the latency of a
// multiplication.
#include "kernels/blas/gemm_tile.hpp"
#include "kernels/blas/packed_batch.hpp"
#include "kernels/blas/panel.hpp"

#include <algorithm>

namespace prism::blas {
namespace {

/// A batch of small products of general real matrices: a group computes several, one after the other. A is
/// read where it is; B too, where its rows are whole panels. Only parts of tiles are packed, with zeros. One
/// kernel.
template <typename Tile, typename T>
std::optional<sycl::event> packed_batch(sycl::queue& queue, const product<T>& what,
                                        const std::vector<sycl::event>& depends = {}) {
  using real = typename Tile::real;
  static_assert(Tile::parts == 1);
  constexpr std::size_t tile_rows = Tile::rows, tile_columns = Tile::columns;
  constexpr std::size_t least_work = 1 << 17, least_groups = 16; // multiplications of a group
  const std::size_t m = what.c.rows, n = what.c.columns, k = what.a.columns, count = what.count;
  if ((tile_rows + tile_columns) * k * sizeof(real) >
      queue.get_device().get_info<sycl::info::device::local_mem_size>())
    return {};
  const std::size_t per_group = std::clamp<std::size_t>(least_work / std::max<std::size_t>(1, m * n * k), 1,
                                                        (count + least_groups - 1) / least_groups);
  const std::ptrdiff_t between[] = {what.a.between, what.b.between, what.c.between};
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::local_accessor<real> panels((tile_rows + tile_columns) * k, h);
    const auto all_of_a = what.a.read(h), all_of_b = what.b.read(h);
    const gemm_target<real> all_of_c = what.target(h);
    const std::ptrdiff_t a_step = between[0], b_step = between[1], c_step = between[2];
    h.parallel_for(sycl::nd_range<1>((count + per_group - 1) / per_group, 1),
                   [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
      real *const left = &panels[0], *const right = left + tile_rows * k;
      const std::size_t first = item.get_group(0) * per_group, last = std::min(first + per_group, count);
      for (std::size_t number = first; number < last; ++number) {
        auto a = all_of_a.placed(), b = all_of_b.placed();
        gemm_target<real> c = all_of_c.placed();
        a.data += static_cast<std::ptrdiff_t>(number) * a_step;
        b.data += static_cast<std::ptrdiff_t>(number) * b_step;
        c.data += static_cast<std::ptrdiff_t>(number) * c_step;
        for (std::size_t column = 0; column < n; column += tile_columns) {
          const std::size_t columns = std::min(tile_columns, n - column);
          const bool in_place = b.column_stride == 1 && columns == tile_columns;
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
          for (std::size_t row = 0; row < m; row += tile_rows) {
            const std::size_t rows = std::min(tile_rows, m - row);
            const bool is_whole = rows == tile_rows;
            if (!is_whole) pack<int(tile_rows), 1>(left, a, row, rows, 0, k);
            finished<Tile> sum;
            Tile::multiply(sum,
                           {is_whole ? a.data + static_cast<std::ptrdiff_t>(row) * a.row_stride : left,
                            is_whole ? a.row_stride : 1,
                            is_whole ? a.column_stride : std::ptrdiff_t(tile_rows), 0},
                           {panel, 1, step, 0}, k);
            store<Tile>(sum, c, row, column, rows, columns);
          }
        }
      }
    });
  });
}

} // namespace

template <>
std::optional<sycl::event> multiply_packed_batch<float>(sycl::queue& queue, const product<float>& what,
                                                        const events& depends) {
  return has_wide_vectors(queue.get_device())
             ? packed_batch<gemm_tile<float, 16, 8, 1, 1>>(queue, what, depends)
             : packed_batch<gemm_tile<float, 8, 8, 1, 1>>(queue, what, depends);
}
template <>
std::optional<sycl::event> multiply_packed_batch<double>(sycl::queue& queue, const product<double>& what,
                                                         const events& depends) {
  return has_wide_vectors(queue.get_device())
             ? packed_batch<gemm_tile<double, 8, 8, 1, 1>>(queue, what, depends)
             : packed_batch<gemm_tile<double, 4, 8, 1, 1>>(queue, what, depends);
}

} // namespace prism::blas
