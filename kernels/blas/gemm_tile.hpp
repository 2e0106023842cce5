// The innermost loop of a matrix product on CPUs: a tile of C in registers, updated by outer products of a
// panel of A and a panel of B. Goto & van de Geijn, "Anatomy of high-performance matrix multiplication", ACM
// TOMS 34(3), 2008; Van Zee & van de Geijn, "BLIS", ACM TOMS 41(3), 2015.
#pragma once

#include "kernels/blas/gemm_target.hpp"

namespace prism::blas {

/// Rows x (Vectors * Lanes) elements of C, each of Parts reals. The accumulators and a row of B must fit into
/// the registers. With 32 of 64 bytes: Parts * Vectors * (Rows + 1) <= 32, because A's elements are operands
/// in memory.
template <typename Real, int Lanes, int Rows, int Vectors, int Parts>
struct gemm_tile {
  using real = Real;
  using lanes = sycl::vec<Real, Lanes>;
  static constexpr int rows = Rows, columns = Vectors * Lanes, parts = Parts;

  /// The layout of a panel, in reals: line r of step k, component p, is at r * line + k * step + p * part.
  struct panel {
    const Real* data;
    std::ptrdiff_t line, step, part;
  };

  /// A packed panel of A. Its distances are constants: as variables they would need an addition for each row
  /// and step, one after the other, which takes longer than the products of a step.
  struct packed_rows {
    const Real* data;
    static constexpr std::ptrdiff_t line = 1, step = Parts * Rows, part = Rows;
  };

  /// to = A B. B's lines are adjacent: the panel's `line` is 1.
  static void multiply(Real (&to)[Parts][Rows][Vectors * Lanes], const panel& left_panel,
                       const panel& right_panel, std::size_t steps) {
    multiply_rows<Rows>(to, left_panel, right_panel, steps);
  }
  static void multiply(Real (&to)[Parts][Rows][Vectors * Lanes], const packed_rows& left_panel,
                       const panel& right_panel, std::size_t steps) {
    multiply_rows<Rows>(to, left_panel, right_panel, steps);
  }
  /// The first `Count` rows of it.
  template <int Count>
  static void multiply_first(Real (&to)[Parts][Rows][Vectors * Lanes], const panel& left_panel,
                             const panel& right_panel, std::size_t steps) {
    multiply_rows<Count>(to, left_panel, right_panel, steps);
  }
  /// The first `few_rows` rows of it.
  static constexpr int few_rows = Rows / 2 + 1;
  static void multiply_few(Real (&to)[Parts][Rows][Vectors * Lanes], const packed_rows& left_panel,
                           const panel& right_panel, std::size_t steps) {
    multiply_rows<few_rows>(to, left_panel, right_panel, steps);
  }

private:
  template <int Count, typename Left>
  static void multiply_rows(Real (&to)[Parts][Rows][Vectors * Lanes], const Left& left_panel,
                            const panel& right_panel, std::size_t steps) {
    const Real *a = left_panel.data, *b = right_panel.data;
    const std::ptrdiff_t line = left_panel.line, part = left_panel.part, a_step = left_panel.step,
                         b_step = right_panel.step, b_part = right_panel.part;
    lanes sum[Parts][Count][Vectors];
#pragma unroll
    for (int p = 0; p < Parts; ++p)
#pragma unroll
      for (int r = 0; r < Count; ++r)
#pragma unroll
        for (int v = 0; v < Vectors; ++v) sum[p][r][v] = lanes(Real(0));
    for (std::size_t k = 0; k < steps; ++k) {
      lanes right[Parts][Vectors];
#pragma unroll
      for (int p = 0; p < Parts; ++p)
#pragma unroll
        for (int v = 0; v < Vectors; ++v) right[p][v].load(0, b + p * b_part + v * Lanes);
#pragma unroll
      for (int r = 0; r < Count; ++r) {
        const lanes left(a[r * line]);
        if constexpr (Parts == 1) {
#pragma unroll
          for (int v = 0; v < Vectors; ++v) sum[0][r][v] = product_and_sum(left, right[0][v], sum[0][r][v]);
        } else {
          const lanes imaginary(a[r * line + part]), negative(-a[r * line + part]);
#pragma unroll
          for (int v = 0; v < Vectors; ++v) {
            sum[0][r][v] = product_and_sum(left, right[0][v], sum[0][r][v]);
            sum[1][r][v] = product_and_sum(left, right[1][v], sum[1][r][v]);
            sum[0][r][v] = product_and_sum(negative, right[1][v], sum[0][r][v]);
            sum[1][r][v] = product_and_sum(imaginary, right[0][v], sum[1][r][v]);
          }
        }
      }
      a += a_step, b += b_step;
    }
#pragma unroll
    for (int p = 0; p < Parts; ++p)
#pragma unroll
      for (int r = 0; r < Count; ++r)
#pragma unroll
        for (int v = 0; v < Vectors; ++v) sum[p][r][v].store(v, to[p][r]);
  }

  static lanes product_and_sum(const lanes& x, const lanes& y, const lanes& z) {
    lanes result;
#pragma unroll
    for (int i = 0; i < Lanes; ++i) result[i] = x[i] * y[i] + z[i];
    return result;
  }
};

/// A finished tile in memory; component p of element (r, x) is at [p][r][x].
template <typename Tile>
using finished = typename Tile::real[Tile::parts][Tile::rows][Tile::columns];

template <typename Tile, typename Real>
void store_rows(const finished<Tile>& sum, const gemm_target<Real>& c, std::size_t row, std::size_t column,
                std::size_t rows, std::size_t columns) {
  const Real alpha = c.alpha.parts[0], beta = c.beta.parts[0];
  Real* to = c.data + static_cast<std::ptrdiff_t>(row) * c.row_stride + static_cast<std::ptrdiff_t>(column);
  if (columns != Tile::columns) {
#pragma unroll 1
    for (std::size_t r = 0; r < rows; ++r, to += c.row_stride)
      for (std::size_t x = 0; x < columns; ++x)
        to[x] = c.reads ? alpha * sum[0][r][x] + beta * to[x] : alpha * sum[0][r][x];
    return;
  }
  using lanes = typename Tile::lanes;
  constexpr int width = int(lanes::size());
#pragma unroll 1
  for (std::size_t r = 0; r < rows; ++r, to += c.row_stride)
#pragma unroll
    for (int v = 0; v < Tile::columns / width; ++v) {
      lanes value, old;
      value.load(v, sum[0][r]);
      if (c.reads) {
        old.load(v, to);
#pragma unroll
        for (int x = 0; x < width; ++x) value[x] = alpha * value[x] + beta * old[x];
      } else {
#pragma unroll
        for (int x = 0; x < width; ++x) value[x] = alpha * value[x];
      }
      value.store(v, to);
    }
}

template <typename Tile, typename Real>
void store_elements(const finished<Tile>& sum, const gemm_target<Real>& c, std::size_t row,
                    std::size_t column, std::size_t rows, std::size_t columns) {
#pragma unroll 1
  for (std::size_t r = 0; r < rows; ++r)
#pragma unroll 1
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t i = row + r, j = column + x;
      if (!c.has(i, j)) continue;
      Real* to = c.data + (static_cast<std::ptrdiff_t>(i) * c.row_stride +
                           static_cast<std::ptrdiff_t>(j) * c.column_stride);
      const factor<Real>&alpha = c.alpha, &beta = c.beta;
      if constexpr (Tile::parts == 1) {
        const Real value = alpha.parts[0] * sum[0][r][x];
        to[0] = c.reads ? value + beta.parts[0] * to[0] : value;
      } else {
        const bool is_real = c.real_diagonal && i == j;
        const Real re = sum[0][r][x], im = sum[1][r][x];
        Real value_re = alpha.parts[0] * re - alpha.parts[1] * im,
             value_im = alpha.parts[0] * im + alpha.parts[1] * re;
        if (c.reads) {
          const Real old_re = to[0], old_im = is_real ? Real(0) : to[1];
          value_re += beta.parts[0] * old_re - beta.parts[1] * old_im;
          value_im += beta.parts[0] * old_im + beta.parts[1] * old_re;
        }
        to[0] = value_re;
        to[1] = is_real ? Real(0) : value_im;
      }
    }
}

/// Writes a tile whose first element is (row, column); `rows` and `columns` of it are inside of C. The
/// registers are written to memory once, in whole vectors. A second use of the accumulators, element by
/// element, would keep LLVM from vectorising them.
template <typename Tile, typename Real>
void store(const finished<Tile>& sum, const gemm_target<Real>& c, std::size_t row, std::size_t column,
           std::size_t rows, std::size_t columns) {
  if (Tile::parts == 1 && c.column_stride == 1 && c.all) store_rows<Tile>(sum, c, row, column, rows, columns);
  else store_elements<Tile>(sum, c, row, column, rows, columns);
}

} // namespace prism::blas
