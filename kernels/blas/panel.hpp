// Copies lines of a matrix to a panel: a step's elements of all lines are adjacent, in the order in which the
// innermost loop of a product reads them.
#pragma once

#include "kernels/blas/source.hpp"

#include <algorithm>

namespace prism::blas {

/// `pack` of lines whose numbers are adjacent, `numbers` in each. A few numbers of each line in turn: LLVM
/// would write a vector of one line by scattering stores, which take three times as long.
template <int Width, int Parts, typename Real, typename Stored>
void pack_adjacent(Real* to, const Stored* data, std::ptrdiff_t line_stride, std::size_t count,
                   std::size_t numbers, Real sign) {
  constexpr int some = 16;
  const Real signs[2] = {Real(1), Parts == 2 ? sign : Real(1)};
  for (std::size_t first = 0; first < numbers; first += some, data += some, to += some * Width) {
    const std::size_t rest = numbers - first;
#pragma clang loop vectorize(disable) unroll(disable)
    for (std::size_t l = 0; l < Width; ++l) {
      const Stored* const line = data + static_cast<std::ptrdiff_t>(l) * line_stride;
      if (l < count && rest >= some) {
#pragma unroll
        for (std::size_t x = 0; x < some; ++x) to[x * Width + l] = signs[x % 2] * Real(line[x]);
        continue;
      }
#pragma clang loop vectorize(disable) unroll(disable)
      for (std::size_t x = 0; x < std::min<std::size_t>(rest, some); ++x)
        to[x * Width + l] = l < count ? signs[x % 2] * Real(line[x]) : Real(0);
    }
  }
}

/// Copies `count` lines of `steps` elements to a panel of Width lines, with zeros for missing lines. Line l
/// of step k, component p, is at (k * Parts + p) * Width + l. Lines are rows of `from`, steps are its
/// columns.
template <int Width, int Parts, typename Real, typename Stored>
void pack(Real* to, const source<Stored>& from, std::size_t line, std::size_t count, std::size_t step,
          std::size_t steps) {
  if (from.kind != form::general) {
    for (std::size_t k = 0; k < steps; ++k)
#pragma clang loop vectorize(disable) unroll(disable)
      for (int l = 0; l < Width; ++l) {
        Real value[Parts] = {};
        if (static_cast<std::size_t>(l) < count)
          from.read(line + static_cast<std::size_t>(l), step + k, value);
        for (int p = 0; p < Parts; ++p)
          to[(k * Parts + static_cast<std::size_t>(p)) * Width + static_cast<std::size_t>(l)] = value[p];
      }
    return;
  }
  const Stored* data = from.data + (static_cast<std::ptrdiff_t>(line) * from.row_stride +
                                    static_cast<std::ptrdiff_t>(step) * from.column_stride);
  if (Parts == 1 && from.row_stride == 1 && count == Width) { // adjacent lines are adjacent in memory
    for (std::size_t k = 0; k < steps; ++k, data += from.column_stride, to += Width)
#pragma unroll
      for (int l = 0; l < Width; ++l) to[l] = Real(data[l]);
    return;
  }
  const Real sign = from.conjugate ? Real(-1) : Real(1);
  if (from.column_stride == Parts) {
    pack_adjacent<Width, Parts>(to, data, from.row_stride, count, steps * Parts, sign);
    return;
  }
#pragma clang loop unroll(disable)
  for (std::size_t l = 0; l < Width; ++l)
#pragma clang loop vectorize(disable) unroll(disable)
    for (std::size_t k = 0; k < steps; ++k) {
      const Stored* at = data + (static_cast<std::ptrdiff_t>(l) * from.row_stride +
                                 static_cast<std::ptrdiff_t>(k) * from.column_stride);
      to[k * Parts * Width + l] = l < count ? Real(at[0]) : Real(0);
      if constexpr (Parts == 2) to[(k * Parts + 1) * Width + l] = l < count ? sign * Real(at[1]) : Real(0);
    }
}

/// Copies all lines of `count` neighbouring panels, which are `apart` reals apart, where lines are adjacent
/// in memory: a step of all panels after the other. Steps are often pages apart, and one panel alone would
/// read two cache lines of each. The step of eight later is asked for, since the processor foresees no jump
/// to another page: packing 1,024 x 1,024 floats so takes 0.72 of the time.
template <int Width, typename Real, typename Stored>
void pack_neighbours(Real* to, std::size_t apart, std::size_t count, const source<Stored>& from,
                     std::size_t line, std::size_t step, std::size_t steps) {
  const Stored* data = from.data + (static_cast<std::ptrdiff_t>(line) +
                                    static_cast<std::ptrdiff_t>(step) * from.column_stride);
  constexpr std::size_t of_line = 64 / sizeof(Stored), ahead = 8;
  for (std::size_t k = 0; k < steps; ++k, data += from.column_stride) {
    if (k + ahead < steps)
      for (std::size_t x = 0; x < count * Width; x += of_line)
        __builtin_prefetch(data + (std::ptrdiff_t(ahead) * from.column_stride + std::ptrdiff_t(x)));
    for (std::size_t p = 0; p < count; ++p)
#pragma unroll
      for (int l = 0; l < Width; ++l)
        to[p * apart + k * Width + std::size_t(l)] = Real(data[p * Width + std::size_t(l)]);
  }
}

} // namespace prism::blas
