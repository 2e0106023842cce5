// A matrix product on CPUs from packed panels. B is packed once unless it can be read where it is. A is
// packed block by block in the memory of a group where there are enough blocks for all threads, or where few
// panels of B use it; otherwise it is packed once too. Each group computes a block of rows of C for some
// panels of B. A group has one work-item, because the host device runs each group in one thread. Goto & van
// de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008.
#pragma once

#include "kernels/blas/gemm_tile.hpp"
#include "kernels/blas/panel.hpp"
#include "kernels/blas/product.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace prism::blas {

/// How the work is divided. Panels of `depth` steps of B stay in the first-level cache, a block of
/// `row_tiles` tiles of A in the second-level cache.
struct gemm_blocks {
  std::size_t row_tiles = 8, depth = 256;
  // Of a thread, at least. Groups that pack a block of A for themselves have some panels of B for it; others
  // may be small, so that a product of 256 x 256 floats has twelve, of 17 us each, and no thread waits long.
  std::size_t groups_that_pack = 4, groups_in_place = 8, groups_of_packed = 16;
  std::size_t least_panels = 2, least_panels_to_pack = 4;
  std::size_t few_panels = 8; // for which A is not packed once
  // Groups of a thread that each have all panels of B for their rows, and pack these rows for themselves: the
  // memory of a group stays in the cache, while a packed copy of all of A comes from memory if the operands
  // did. 0: there are none.
  std::size_t groups_of_rows = 0;
  std::size_t cache = 262144; // bytes of B that are read in place, half of a second-level cache
};

/// The blocks that a trial or the tuning database asks for, else `row_tiles` of the usual depth.
inline gemm_blocks blocks_of(const gemm_parameters& how, std::size_t row_tiles = gemm_blocks{}.row_tiles) {
  gemm_blocks out;
  out.row_tiles = how.row_tiles != 0 ? how.row_tiles : row_tiles;
  if (how.row_tiles != 0) out.depth = how.depth;
  return out;
}

/// The tiles of a group that has all panels of B, which has `bytes`, for its rows; 0: such groups would be
/// too few for the threads, or so small that reading B takes longer than the products.
inline std::size_t tiles_of_rows(const gemm_blocks& blocks, std::size_t tiles, std::size_t bytes,
                                 std::size_t threads) {
  if (blocks.groups_of_rows == 0) return 0;
  const std::size_t fit = std::min(tiles / (blocks.groups_of_rows * threads), blocks.row_tiles),
                    least = bytes <= 2 * blocks.cache ? 2 : 3;
  return fit >= least ? fit : 0;
}

/// Whether B can be read without packing: its rows are whole panels, and either few rows of C use each of
/// them, or all of B stays in a part of the second-level cache, from which it comes in the time of the
/// products; packing is one more kernel. The rows must not share the lines of few sets of that cache, which
/// has 16 ways and twice the bytes of `cache`.
template <typename Tile, typename T>
bool reads_in_place(const product<T>& what, std::size_t cache) {
  const matrix<T>& b = what.b;
  const std::size_t way = std::max<std::size_t>(1, cache / 8),
                    distance = std::size_t(b.row_stride) * sizeof(typename Tile::real),
                    places = way / std::gcd(distance, way);
  return Tile::parts == 1 && b.kind == form::general && b.column_stride == 1 && b.row_stride > 0 &&
         b.columns % Tile::columns == 0 &&
         (what.c.rows <= 2 * Tile::rows ||
          (b.size() * sizeof(typename Tile::real) <= cache && b.rows <= 8 * places));
}

/// Whether the rows of A that a tile uses can be read without packing: one panel of B uses each of them, or
/// few do and the rows do not share the few lines of a set of the first-level cache. `a`: a matrix or a
/// source.
template <typename Tile, typename Left>
bool reads_rows_in_place(const Left& a, std::size_t panels) {
  constexpr std::size_t few = 8, apart = 2048;
  return Tile::parts == 1 && a.kind == form::general && a.column_stride == 1 &&
         (panels <= 1 ||
          (panels <= few && std::size_t(a.row_stride) * sizeof(typename Tile::real) % apart != 0));
}

/// Both operands in lines of a tile, for one step of the sum after the other: B's panels and, on request, A's
/// tiles.
template <typename Tile>
struct packed_operands {
  using real = typename Tile::real;
  static constexpr std::size_t parts = Tile::parts, tile_rows = Tile::rows, tile_columns = Tile::columns;
  std::size_t m, n, k, depth;
  std::size_t tiles = (m + tile_rows - 1) / tile_rows, panels = (n + tile_columns - 1) / tile_columns;
  std::size_t steps = std::max<std::size_t>(1, (k + depth - 1) / depth);

  std::size_t count(std::size_t step) const { return std::min(depth, k - step * depth); }
  std::size_t tile(std::size_t step, std::size_t i) const {
    return (step * depth * tiles + i * count(step)) * tile_rows * parts;
  }
  std::size_t panel(std::size_t step, std::size_t i) const {
    return (step * depth * panels + i * count(step)) * tile_columns * parts;
  }
  std::size_t size_of_left() const { return tiles * tile_rows * parts * k; }
  std::size_t size_of_right() const { return panels * tile_columns * parts * k; }
};

/// Packs B to `right` and, if there is a `left`, A to it.
template <typename Tile, typename T>
void pack_operands(sycl::queue& queue, const product<T>& what, const packed_operands<Tile>& sizes,
                   std::optional<sycl::buffer<typename Tile::real>>& left,
                   sycl::buffer<typename Tile::real>& right, const std::vector<sycl::event>& depends) {
  using real = typename Tile::real;
  constexpr std::size_t parts = Tile::parts, tile_rows = Tile::rows, tile_columns = Tile::columns;
  constexpr std::size_t together = (tile_columns + tile_rows - 1) / tile_rows; // tiles as long as a panel
  const bool packs_left = left.has_value();
  constexpr std::size_t together_of_b = 4; // panels of B
  const std::size_t right_lines = (sizes.panels + together_of_b - 1) / together_of_b,
                    right_groups = right_lines * sizes.steps,
                    left_lines = (sizes.tiles + together - 1) / together;
  queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    sycl::accessor to_left(packs_left ? *left : right, h, sycl::write_only, sycl::no_init),
        to_right(right, h, sycl::write_only, sycl::no_init);
    const auto a = what.a.read(h), b = what.b.transposed().read(h);
    h.parallel_for(sycl::nd_range<1>(right_groups + (packs_left ? left_lines * sizes.steps : 0), 1),
                   [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
      std::size_t group = item.get_group(0);
      if (group < right_groups) {
        const std::size_t step = group / right_lines, first = step * sizes.depth, count = sizes.count(step);
        std::size_t panel = group % right_lines * together_of_b;
        const std::size_t last = std::min(panel + together_of_b, sizes.panels);
        real* const to = to_right.template get_multi_ptr<sycl::access::decorated::no>().get();
        if constexpr (parts == 1)
          if (const auto from = b.placed(); from.kind == form::general && from.row_stride == 1) {
            const std::size_t whole = std::min(last, sizes.n / tile_columns);
            if (panel < whole)
              pack_neighbours<int(tile_columns)>(to + sizes.panel(step, panel), count * tile_columns,
                                                 whole - panel, from, panel * tile_columns, first, count);
            panel = std::max(panel, whole);
          }
        for (; panel < last; ++panel)
          pack<int(tile_columns), int(parts)>(to + sizes.panel(step, panel), b.placed(), panel * tile_columns,
                                              std::min(tile_columns, sizes.n - panel * tile_columns), first,
                                              count);
        return;
      }
      group -= right_groups;
      const std::size_t step = group / left_lines, first = group % left_lines * together;
      real* const to = to_left.template get_multi_ptr<sycl::access::decorated::no>().get();
      for (std::size_t i = first; i < std::min(first + together, sizes.tiles); ++i)
        pack<int(tile_rows), int(parts)>(to + sizes.tile(step, i), a.placed(), i * tile_rows,
                                         std::min(tile_rows, sizes.m - i * tile_rows), step * sizes.depth,
                                         sizes.count(step));
    });
  });
}

/// C = alpha A B + beta C. Submits one or two kernels and does not wait. It allocates a buffer, which is
/// freed when they are complete. Blocks are smaller on devices with little local memory.
template <typename Tile, typename T>
sycl::event packed_gemm(sycl::queue& queue, const product<T>& what, gemm_blocks blocks = {},
                        const std::vector<sycl::event>& depends = {}) {
  using real = typename Tile::real;
  constexpr std::size_t parts = Tile::parts, tile_rows = Tile::rows, tile_columns = Tile::columns;
  const std::size_t m = what.c.rows, n = what.c.columns, k = what.a.columns;
  const std::size_t threads = queue.get_device().get_info<sycl::info::device::max_compute_units>();
  // The depth is the order of the additions, so it depends on the shape and the kind of device only. A group
  // that packs has as many tiles of it as its local memory holds.
  const std::size_t local = queue.get_device().get_info<sycl::info::device::local_mem_size>(),
                    line = tile_rows * parts * sizeof(real);
  const packed_operands<Tile> sizes{m, n, k,
                                    std::max<std::size_t>(1, std::min({blocks.depth, k, local / line}))};
  gemm_blocks packing = blocks;
  packing.row_tiles = std::max<std::size_t>(1, std::min(blocks.row_tiles, local / (line * sizes.depth)));
  // Of a triangle the groups with most columns have most work, so they are smaller.
  const std::size_t of_rows = tiles_of_rows(packing, sizes.tiles, what.b.size() * parts * sizeof(real),
                                            what.all ? threads : 2 * threads);
  const std::size_t depth = sizes.depth, panels = sizes.panels, steps = sizes.steps;
  if (panels == 0 || m == 0) return queue.ext_oneapi_submit_barrier(depends);
  const bool in_place = reads_in_place<Tile>(what, blocks.cache),
             packs_left = !in_place && of_rows == 0 && panels > blocks.few_panels;
  const std::size_t most_rows = (of_rows != 0 ? of_rows
                                 : packs_left ? blocks.row_tiles
                                              : packing.row_tiles) *
                                tile_rows;
  // Blocks of A of about one size.
  const std::size_t row_blocks = (m + most_rows - 1) / most_rows,
                    block_rows = (sizes.tiles + row_blocks - 1) / row_blocks * tile_rows;
  // So many groups that no thread waits long for the last one. An element is a sum of one group in any case.
  const bool packs_in_groups =
      !packs_left && !reads_rows_in_place<Tile>(what.a, std::min(panels, blocks.few_panels));
  const std::size_t wanted = (packs_left        ? blocks.groups_of_packed
                              : packs_in_groups ? blocks.groups_that_pack
                                                : blocks.groups_in_place) *
                             threads;
  const std::size_t parts_of_row = (wanted + row_blocks - 1) / row_blocks,
                    least = packs_in_groups ? blocks.least_panels_to_pack : blocks.least_panels,
                    per_group = std::max(least, (panels + parts_of_row - 1) / parts_of_row),
                    groups_of_panels = (panels + per_group - 1) / per_group;

  // None where both operands are read in place: two buffers take longer than a product of 32 x 32.
  std::optional<sycl::buffer<real>> packed, packed_left;
  const auto room = [](std::size_t elements) { return sycl::range<1>(std::max<std::size_t>(1, elements)); };
  if (packs_left) packed_left.emplace(room(sizes.size_of_left()));
  if (!in_place) {
    packed.emplace(room(sizes.size_of_right()));
    pack_operands<Tile>(queue, what, sizes, packed_left, *packed, depends);
  }
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const place<real> from = in_place ? what.b.where : place<real>(*packed);
    const real* const base = from.read_only(h);
    const real* const base_left = packs_left ? place<real>(*packed_left).read_only(h) : nullptr;
    const std::ptrdiff_t base_offset = from.offset;
    const std::size_t right_step = in_place ? std::size_t(what.b.row_stride) : parts * tile_columns;
    sycl::local_accessor<real> block(packs_left ? 1 : block_rows * parts * depth, h);
    const auto all_of_a = what.a.read(h);
    const gemm_target<real> c = what.target(h);
    h.parallel_for(sycl::nd_range<1>(row_blocks * groups_of_panels, 1),
                   [=](sycl::nd_item<1> item) [[sycl::reqd_work_group_size(1)]] {
      const std::size_t group = item.get_group(0), row = group / groups_of_panels * block_rows;
      if (row >= m) return; // blocks of a multiple of a tile may be fewer
      const std::size_t rows = std::min(block_rows, m - row);
      const std::size_t first_panel = group % groups_of_panels * per_group,
                        last_panel = std::min(first_panel + per_group, panels);
      const real* all_panels = base + base_offset;
      real* own_block = &block[0];
      gemm_target<real> to = c.placed();
      const auto a = all_of_a.placed();
      constexpr bool are_of_tile = std::is_same_v<typename decltype(a)::Stored, real>;
      const bool packs =
          !packs_left && !(are_of_tile && reads_rows_in_place<Tile>(a, last_panel - first_panel));
      for (std::size_t step = 0; step < steps; ++step) {
        const std::size_t first = step * depth, count = std::min(depth, k - first);
        for (std::size_t i = packs        ? 0
                             : packs_left ? rows
                                          : rows - rows % tile_rows;
             i < rows; i += tile_rows)
          pack<int(tile_rows), int(parts)>(own_block + i * parts * count, a, row + i,
                                           std::min(tile_rows, rows - i), first, count);
        const real* const left = packs_left ? base_left + sizes.tile(step, row / tile_rows) : own_block;
        for (std::size_t panel = first_panel; panel < last_panel; ++panel) {
          const std::size_t column = panel * tile_columns, columns = std::min(tile_columns, n - column);
          const real* right =
              all_panels + (in_place ? first * right_step + column : sizes.panel(step, panel));
          for (std::size_t i = 0; i < rows; i += tile_rows) {
            const std::size_t used = std::min(tile_rows, rows - i);
            if (!to.touches(row + i, used, column, columns)) continue;
            finished<Tile> sum;
            const typename Tile::panel columns_of_b = {right, 1, std::ptrdiff_t(right_step), tile_columns};
            const typename Tile::packed_rows rows_of_a = {left + i * parts * count};
            const real* in_memory = nullptr;
            if constexpr (are_of_tile)
              if (!packs && !packs_left && used == tile_rows)
                in_memory = a.data + (std::ptrdiff_t(row + i) * a.row_stride + std::ptrdiff_t(first));
            if (in_memory) Tile::multiply(sum, {in_memory, a.row_stride, 1, 0}, columns_of_b, count);
            else if (used <= Tile::few_rows) Tile::multiply_few(sum, rows_of_a, columns_of_b, count);
            else Tile::multiply(sum, rows_of_a, columns_of_b, count);
            store<Tile>(sum, to, row + i, column, used, columns);
          }
        }
        to.beta = factor<real>(real(1)), to.reads = true; // the result of the previous step
      }
    });
  });
}

} // namespace prism::blas
