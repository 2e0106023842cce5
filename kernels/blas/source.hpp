// A matrix as a kernel reads it: strides, and a rule for elements that are not stored. The products read
// symmetric, Hermitian and triangular operands through this class, so they need only one kernel. The other
// triangle is mirrored or zero, and a unit diagonal is not read.
#pragma once

#include "kernels/blas/element.hpp"

namespace prism::blas {

enum class form : std::uint8_t { general, symmetric, hermitian, triangular };

/// Strides count components: twice the view's for complex elements. `lower`: which triangle of the matrix, as
/// it is used, is stored.
template <typename Const>
struct source {
  using Stored = std::remove_const_t<Const>;
  const Stored* data;
  std::ptrdiff_t row_stride, column_stride;
  form kind = form::general;
  bool lower = false, unit = false, conjugate = false;
  std::ptrdiff_t offset = 0; // of the first element after `data`; a kernel adds it by `placed`

  source transposed() const {
    return {data, column_stride, row_stride, kind, !lower, unit, conjugate, offset};
  }
  source placed() const { return {data + offset, row_stride, column_stride, kind, lower, unit, conjugate}; }

  template <int Parts, typename Real>
  void read(std::size_t i, std::size_t j, Real (&value)[Parts]) const {
    bool mirrored = false;
    const bool outside = lower ? j > i : i > j;
    if (kind != form::general && outside) {
      if (kind == form::triangular) {
        for (int part = 0; part < Parts; ++part) value[part] = Real(0);
        return;
      }
      const std::size_t row = i;
      i = j, j = row, mirrored = true;
    }
    const Stored* at =
        data + (static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride);
    const bool is_one = unit && i == j;
    value[0] = is_one ? Real(1) : Real(at[0]);
    if constexpr (Parts == 2) {
      const bool is_real = is_one || (kind == form::hermitian && i == j);
      const bool negated = conjugate != (mirrored && kind == form::hermitian);
      value[1] = is_real ? Real(0) : negated ? -Real(at[1]) : Real(at[1]);
    }
  }
};

} // namespace prism::blas
