// A product of matrices by work-items that each keep 4 x 4 elements of C in registers and read A and B from
// global memory: for devices whose processors have no large tiles in SYCL. The columns of a work-item are
// neighbours, as the processor behind a software driver reads them, or, on a GPU, as far apart as its group
// is wide, so that neighbours in a group read neighbours in memory. Source: Volkov & Demmel, "Benchmarking
// GPUs to tune dense linear algebra", SC 2008 (outer products in registers).
#include "kernels/blas/product.hpp"

#include <algorithm>

namespace prism::blas {
namespace {

constexpr std::size_t tile = 4, group = 8;
constexpr std::size_t most_steps = 1 << 14; // software drivers bound the loops of a work-item

/// Where a line of A or B begins, and how its elements and parts follow each other.
template <typename Real, int Parts>
Real part_of(const Real* at, Real sign, int part) {
  return part == 0 ? at[0] : sign * at[Parts - 1];
}

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

template <typename T>
class gemm_in_registers {
  using real = real_of<T>;
  static constexpr int parts = parts_of<T>;

public:
  gemm_in_registers(const product<T>& what, sycl::handler& h, std::size_t first, std::size_t last, bool apart)
      : m_a(what.a.read(h)), m_b(what.b.read(h)), m_c(what.target(h)),
        m_rows(static_cast<std::uint32_t>(what.c.rows)),
        m_columns(static_cast<std::uint32_t>(what.c.columns)), m_first(static_cast<std::uint32_t>(first)),
        m_last(static_cast<std::uint32_t>(last)), m_step(apart ? group : 1) {}

  void operator()(sycl::nd_item<2> item) const {
    const auto y =
        static_cast<std::uint32_t>(item.get_group(0) * (tile * group) + item.get_local_id(0) * tile);
    const auto x = static_cast<std::uint32_t>(item.get_group(1) * (tile * group) +
                                              item.get_local_id(1) * (m_step == 1 ? tile : 1));
    if (y >= m_rows || x >= m_columns) return;
    const gemm_target<real> c = m_c.placed();
    if (!c.touches(y, tile, x, tile * m_step)) return;
    real sum[parts][tile][tile] = {};
    add(sum, y, x);
#pragma unroll
    for (std::uint32_t r = 0; r < tile; ++r)
#pragma unroll
      for (std::uint32_t v = 0; v < tile; ++v) {
        const std::uint32_t i = y + r, j = x + v * m_step;
        if (i >= m_rows || j >= m_columns || !c.has(i, j)) continue;
        real element[parts];
        for (int p = 0; p < parts; ++p) element[p] = sum[p][r][v];
        store_element<real, parts>(c, i, j, element);
      }
  }

private:
  void add(real (&sum)[parts][tile][tile], std::uint32_t y, std::uint32_t x) const {
    const real sign_a = m_a.conjugate ? real(-1) : real(1), sign_b = m_b.conjugate ? real(-1) : real(1);
    const real *rows[tile], *columns[tile];
#pragma unroll
    for (std::uint32_t t = 0; t < tile; ++t) { // lines beyond the border repeat the last one
      rows[t] = m_a.data +
                (m_a.offset + static_cast<std::ptrdiff_t>(sycl::min(y + t, m_rows - 1)) * m_a.row_stride);
      columns[t] =
          m_b.data + (m_b.offset + static_cast<std::ptrdiff_t>(sycl::min(x + t * m_step, m_columns - 1)) *
                                       m_b.column_stride);
    }
    for (std::uint32_t k = m_first; k < m_last; ++k) {
      const std::ptrdiff_t at_a = static_cast<std::ptrdiff_t>(k) * m_a.column_stride,
                           at_b = static_cast<std::ptrdiff_t>(k) * m_b.row_stride;
      real right[parts][tile];
#pragma unroll
      for (std::uint32_t v = 0; v < tile; ++v)
#pragma unroll
        for (int p = 0; p < parts; ++p) right[p][v] = part_of<real, parts>(columns[v] + at_b, sign_b, p);
#pragma unroll
      for (std::uint32_t r = 0; r < tile; ++r) {
        const real left = rows[r][at_a];
#pragma unroll
        for (std::uint32_t v = 0; v < tile; ++v) sum[0][r][v] += left * right[0][v];
        if constexpr (parts == 2) {
          const real imaginary = sign_a * rows[r][at_a + 1];
#pragma unroll
          for (std::uint32_t v = 0; v < tile; ++v) {
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
  std::uint32_t m_rows, m_columns, m_first, m_last, m_step;
};

} // namespace

template <typename T>
sycl::event multiply_in_registers(sycl::queue& queue, const product<T>& what, const events& depends) {
  const auto whole = [](std::size_t items) { return (items + tile * group - 1) / (tile * group) * group; };
  const sycl::nd_range<2> where({whole(what.c.rows), whole(what.c.columns)}, {group, group});
  const bool apart = queue.get_device().is_gpu();
  product<T> step = what;
  events before = depends;
  for (std::size_t first = 0; first < what.a.columns; first += most_steps) {
    const sycl::event done = queue.submit([&](sycl::handler& h) {
      h.depends_on(before);
      h.parallel_for(
          where, gemm_in_registers<T>(step, h, first, std::min(first + most_steps, what.a.columns), apart));
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
