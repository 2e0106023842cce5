// Matrix product in which each work-item keeps up to 8 x 8 elements of C in registers, and reads A and B from
// global memory. For devices whose processors have no large tiles in SYCL. On software drivers the columns of
// a work-item are adjacent, because the processor reads them so. On a GPU they are a group's width apart, so
// that adjacent work-items read adjacent elements. Source: Volkov & Demmel, "Benchmarking GPUs to tune dense
// linear algebra", SC 2008 (outer products in registers).
#include "kernels/blas/product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism::blas {
namespace {

struct tile_size {
  std::uint32_t rows, columns;
};
std::size_t tiles_in(std::size_t lines, std::size_t of) { return (lines + of - 1) / of; }
/// For a single product. With many registers, or with drivers that keep them in near memory, larger tiles
/// read less.
template <typename T>
constexpr tile_size tile{4, 4};
template <>
constexpr tile_size tile<float>{8, 8};
template <>
constexpr tile_size tile<double>{8, 4};
/// For the products of a batch, which are small.
constexpr tile_size batch_tile{4, 4};
constexpr std::uint32_t most_width = 1024;  // of a group
constexpr std::size_t most_steps = 1 << 14; // software drivers limit the loop iterations of a work-item

template <typename Real, int Parts>
void store_element(const gemm_target<Real>& c, std::size_t i, std::size_t j, const Real (&sum)[Parts]) {
  Real* const to = c.data + (static_cast<std::ptrdiff_t>(i) * c.row_stride +
                             static_cast<std::ptrdiff_t>(j) * c.column_stride);
  if constexpr (Parts == 1) {
    const Real value = c.alpha.parts[0] * sum[0];
    to[0] = c.reads ? value + c.beta.parts[0] * to[0] : value;
  } else {
    const bool is_real = c.real_diagonal && i == j;
    Real re = c.alpha.parts[0] * sum[0] - c.alpha.parts[1] * sum[1],
         im = c.alpha.parts[0] * sum[1] + c.alpha.parts[1] * sum[0];
    if (c.reads) {
      const Real old_re = to[0], old_im = is_real ? Real(0) : to[1];
      re += c.beta.parts[0] * old_re - c.beta.parts[1] * old_im;
      im += c.beta.parts[0] * old_im + c.beta.parts[1] * old_re;
    }
    to[0] = re;
    to[1] = is_real ? Real(0) : im;
  }
}

/// Index: the type for offsets of elements. 32 bits are less work for drivers without 64-bit units.
template <typename T, typename Index, std::uint32_t Rows, std::uint32_t Columns>
class gemm_in_registers {
  using real = real_of<T>;
  static constexpr int parts = parts_of<T>;
  static constexpr std::uint32_t tile_rows = Rows, tile_columns = Columns;

public:
  gemm_in_registers(const product<T>& what, sycl::handler& h, std::size_t first, std::size_t last,
                    std::uint32_t width, bool apart)
      : m_a(what.a.read(h)), m_b(what.b.read(h)), m_c(what.target(h)),
        m_rows(static_cast<std::uint32_t>(what.c.rows)),
        m_columns(static_cast<std::uint32_t>(what.c.columns)), m_first(static_cast<std::uint32_t>(first)),
        m_last(static_cast<std::uint32_t>(last)), m_width(width), m_step(apart ? width : 1),
        m_tiles{static_cast<std::uint32_t>(tiles_in(what.c.rows, tile_rows)),
                static_cast<std::uint32_t>(tiles_in(what.c.columns, tile_columns))},
        m_between{what.a.between, what.b.between, what.c.between} {}

  /// A single product: groups of work-items are squares of tiles.
  void operator()(sycl::nd_item<2> item) const {
    const auto y = static_cast<std::uint32_t>(item.get_global_id(0)) * tile_rows;
    const auto x = static_cast<std::uint32_t>(item.get_group(1)) * (tile_columns * m_width) +
                   static_cast<std::uint32_t>(item.get_local_id(1)) * (m_step == 1 ? tile_columns : 1);
    if (y < m_rows && x < m_columns) compute(y, x);
  }
  /// A batch: the tiles of all products, one product after the other.
  void operator()(sycl::id<1> tile) const {
    const auto in_one = static_cast<std::size_t>(m_tiles.rows) * m_tiles.columns;
    const auto number = static_cast<std::ptrdiff_t>(tile[0] / in_one);
    const auto own = static_cast<std::uint32_t>(tile[0] % in_one);
    gemm_in_registers one = *this;
    one.m_a.offset += number * m_between[0], one.m_b.offset += number * m_between[1];
    one.m_c.offset += number * m_between[2];
    one.compute(own / m_tiles.columns * tile_rows, own % m_tiles.columns * tile_columns);
  }

private:
  void compute(std::uint32_t y, std::uint32_t x) const {
    const gemm_target<real> c = m_c.placed();
    if (!c.touches(y, tile_rows, x, tile_columns * m_step)) return;
    real sum[parts][tile_rows][tile_columns] = {};
    add(sum, y, x);
#pragma unroll
    for (std::uint32_t r = 0; r < tile_rows; ++r)
#pragma unroll
      for (std::uint32_t v = 0; v < tile_columns; ++v) {
        const std::uint32_t i = y + r, j = x + v * m_step;
        if (i >= m_rows || j >= m_columns || !c.has(i, j)) continue;
        real element[parts];
        for (int p = 0; p < parts; ++p) element[p] = sum[p][r][v];
        store_element<real, parts>(c, i, j, element);
      }
  }

  void add(real (&sum)[parts][tile_rows][tile_columns], std::uint32_t y, std::uint32_t x) const {
    const real sign_a = m_a.conjugate ? real(-1) : real(1), sign_b = m_b.conjugate ? real(-1) : real(1);
    const real *const a = m_a.data + m_a.offset, *const b = m_b.data + m_b.offset;
    const auto step_a = static_cast<Index>(m_a.column_stride), step_b = static_cast<Index>(m_b.row_stride);
    Index rows[tile_rows], columns[tile_columns];
#pragma unroll
    for (std::uint32_t t = 0; t < tile_rows; ++t) // lines beyond the border repeat the last one
      rows[t] = static_cast<Index>(sycl::min(y + t, m_rows - 1)) * static_cast<Index>(m_a.row_stride);
#pragma unroll
    for (std::uint32_t t = 0; t < tile_columns; ++t)
      columns[t] = static_cast<Index>(sycl::min(x + t * m_step, m_columns - 1)) *
                   static_cast<Index>(m_b.column_stride);
    for (std::uint32_t k = m_first; k < m_last; ++k) {
      const Index at_a = static_cast<Index>(k) * step_a, at_b = static_cast<Index>(k) * step_b;
      real right[parts][tile_columns];
#pragma unroll
      for (std::uint32_t v = 0; v < tile_columns; ++v)
#pragma unroll
        for (int p = 0; p < parts; ++p) right[p][v] = (p ? sign_b : real(1)) * b[columns[v] + at_b + p];
#pragma unroll
      for (std::uint32_t r = 0; r < tile_rows; ++r) {
        const real left = a[rows[r] + at_a];
#pragma unroll
        for (std::uint32_t v = 0; v < tile_columns; ++v) sum[0][r][v] += left * right[0][v];
        if constexpr (parts == 2) {
          const real imaginary = sign_a * a[rows[r] + at_a + 1];
#pragma unroll
          for (std::uint32_t v = 0; v < tile_columns; ++v) {
            sum[1][r][v] += left * right[1][v];
            sum[0][r][v] -= imaginary * right[1][v];
            sum[1][r][v] += imaginary * right[0][v];
          }
        }
      }
    }
  }

  source<const real> m_a, m_b;
  gemm_target<real> m_c;
  std::uint32_t m_rows, m_columns, m_first, m_last;
  std::uint32_t m_width; // work-items of a group in a row
  std::uint32_t m_step;  // from one column of a tile to the next
  tile_size m_tiles;     // in a single product
  std::ptrdiff_t m_between[3];
};

/// Whether the offsets of all elements fit into 31 bits.
template <typename T>
bool is_narrow(const matrix<T>& a) {
  const auto reach = [](std::size_t extent, std::ptrdiff_t stride) {
    return static_cast<double>(extent) * std::abs(static_cast<double>(stride));
  };
  return reach(a.rows, a.row_stride) + reach(a.columns, a.column_stride) + 2 < 2147483647.0;
}

template <typename T, typename Index, std::uint32_t Rows, std::uint32_t Columns>
void submit_single(sycl::handler& h, const product<T>& what, std::size_t first, std::size_t last,
                   bool apart) {
  const std::uint32_t y = what.how.group_y, x = what.how.group_x;
  const sycl::nd_range<2> where(
      {tiles_in(what.c.rows, Rows * y) * y, tiles_in(what.c.columns, Columns * x) * x}, {y, x});
  h.parallel_for(where, gemm_in_registers<T, Index, Rows, Columns>(what, h, first, last, x, apart));
}

template <typename T, typename Index>
void submit_product(sycl::handler& h, const product<T>& what, std::size_t first, std::size_t last,
                    bool apart) {
  if (what.count != 1) {
    const sycl::range<1> tiles(what.count * tiles_in(what.c.rows, batch_tile.rows) *
                               tiles_in(what.c.columns, batch_tile.columns));
    h.parallel_for(tiles, gemm_in_registers<T, Index, batch_tile.rows, batch_tile.columns>(what, h, first,
                                                                                           last, 1, false));
    return;
  }
  constexpr tile_size of_one = tile<T>;
  if constexpr (parts_of<T> == 1)
    if (what.how.tile == 4) return submit_single<T, Index, 4, 4>(h, what, first, last, apart);
  submit_single<T, Index, of_one.rows, of_one.columns>(h, what, first, last, apart);
}

} // namespace

template <typename T>
sycl::event multiply_in_registers(sycl::queue& queue, const product<T>& what, const events& depends) {
  if (std::max(what.c.rows, what.c.columns) > std::numeric_limits<std::int32_t>::max() - most_width * 8)
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "products of more than 2^31 rows or columns are computed on the host device and on "
                          "OpenCL's processors only");
  const bool narrow = is_narrow(what.a) && is_narrow(what.b);
  const bool apart = what.count == 1 && queue.get_device().is_gpu();
  product<T> step = what;
  events before = depends;
  for (std::size_t first = 0; first < what.a.columns; first += most_steps) {
    const sycl::event done = queue.submit([&](sycl::handler& h) {
      h.depends_on(before);
      const std::size_t last = std::min(first + most_steps, what.a.columns);
      if (narrow) submit_product<T, std::int32_t>(h, step, first, last, apart);
      else submit_product<T, std::ptrdiff_t>(h, step, first, last, apart);
    });
    before.assign(1, done);
    step.beta = factor<real_of<T>>(real_of<T>(1));
  }
  return before.front();
}

template sycl::event multiply_in_registers<float>(sycl::queue&, const product<float>&, const events&);
template sycl::event multiply_in_registers<double>(sycl::queue&, const product<double>&, const events&);
template sycl::event
multiply_in_registers<std::complex<float>>(sycl::queue&, const product<std::complex<float>>&, const events&);
template sycl::event multiply_in_registers<std::complex<double>>(sycl::queue&,
                                                                 const product<std::complex<double>>&,
                                                                 const events&);

} // namespace prism::blas
