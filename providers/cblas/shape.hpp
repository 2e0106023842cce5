// Translates an operand's strides to the terms of the CBLAS.
#pragma once

#include "providers/cblas/call.hpp"

#include <climits>

namespace prism_cblas {

using operand = prism_provider_operand;

inline bool is_conjugated(const operand& a) { return (a.flags & PRISM_CONJUGATED) != 0; }
inline bool is_transposed(const operand& a) { return (a.flags & PRISM_TRANSPOSED) != 0; }
inline int other_layout(int layout) { return layout == row_major ? column_major : row_major; }
inline int other_uplo(int uplo) { return uplo == upper ? lower : upper; }

/// The leading dimension of a full matrix in this layout; 0 if its strides do not fit the layout.
inline int leading(const operand& a, int layout) {
  const int inner = layout == row_major ? 1 : 0, outer = 1 - inner;
  if (a.storage != PRISM_STORED_FULL) return 0;
  if (a.extent[inner] > 1 && a.stride[inner] != 1) return 0;
  const std::int64_t least = a.extent[inner] > 1 ? a.extent[inner] : 1;
  const std::int64_t ld = a.extent[outer] > 1 ? a.stride[outer] : least;
  return ld >= least && ld <= INT_MAX ? int(ld) : 0;
}

/// A matrix as a factor of a product in a layout: its transposition and leading dimension. ld is 0 if the
/// CBLAS cannot express it.
struct factor {
  int trans = no_transpose, ld = 0;
};
inline factor factor_of(const library& from, const operand& a, int layout) {
  const int straight = leading(a, layout), turned = leading(a, other_layout(layout));
  if (!is_conjugated(a)) return straight ? factor{no_transpose, straight} : factor{transpose, turned};
  if (turned) return {conjugate_transpose, turned};
  return from.has_conjugate_no_transpose ? factor{conjugate_no_transpose, straight} : factor{};
}

/// A triangular matrix in a layout.
struct triangle {
  int layout = column_major, trans = no_transpose, uplo = 0, ld = 0;
};
/// For matrices that are used with vectors only, where the layout is free. A conjugate is the conjugate
/// transpose in the other layout.
inline triangle free_triangle(const operand& a, int uplo) {
  if (a.storage != PRISM_STORED_FULL) { // columns as stored; the flag is the transposition
    const int ld = a.storage == PRISM_STORED_PACKED ? 1 : a.stride[1] <= INT_MAX ? int(a.stride[1]) : 0;
    if (!is_conjugated(a)) return {column_major, is_transposed(a) ? transpose : no_transpose, uplo, ld};
    if (is_transposed(a)) return {column_major, conjugate_transpose, uplo, ld};
    return {row_major, conjugate_transpose, other_uplo(uplo), ld};
  }
  for (const int layout : {column_major, row_major}) {
    const int ld = leading(a, layout);
    if (!ld) continue;
    if (!is_conjugated(a)) return {layout, no_transpose, uplo, ld};
    return {other_layout(layout), conjugate_transpose, other_uplo(uplo), ld};
  }
  return {};
}
/// The same for a Hermitian matrix, whose conjugate is its transpose. Symmetric matrices ignore flags.
inline triangle free_hermitian(const operand& a, int uplo, bool is_complex_type) {
  const bool turned =
      is_complex_type && is_conjugated(a) != (a.storage != PRISM_STORED_FULL && is_transposed(a));
  operand plain = a;
  plain.flags = 0;
  triangle out = free_triangle(plain, uplo);
  if (turned) out.layout = other_layout(out.layout), out.uplo = other_uplo(out.uplo);
  return out;
}

} // namespace prism_cblas
