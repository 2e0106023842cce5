// Structures of sparse matrices on the host, without values: what the plans of <prism/sparse.hpp> compute
// once. Pure functions of plain data. An element of a structure names the position of its value in the
// caller's array; ~position means the complex conjugate of that value.
#pragma once

#include <prism/sparse/request.hpp>

#include <vector>

namespace prism::sparse {

using index = std::int32_t;
using integers = std::vector<index>;

/// Compressed rows. Element e, of row i for offsets[i] <= e < offsets[i + 1], is in column columns[e] and has
/// the value source[e].
struct rows_pattern {
  std::size_t rows = 0, columns = 0;
  integers offsets, column, source;
};

/// Checks the structure (errc::invalid) and reads it. `first`: offsets, or row indices of COO.
rows_pattern read(const detail::shape& of, const integers& first, const integers& second, std::size_t values);
/// Sorted by columns; the order of equal columns remains.
rows_pattern transposed(const rows_pattern& a, bool conjugates);
rows_pattern with_mirror(const rows_pattern& a, symmetry stored);
rows_pattern sorted(const rows_pattern& a);

/// A structure in some format. Value v is the sum of source[first[v]] to source[first[v + 1] - 1].
struct target_pattern {
  integers offsets, indices; // COO: rows, columns
  integers first, source;
};
/// `a` is sorted.
target_pattern target_of(const rows_pattern& a, format to, std::size_t block);

/// Rows of a triangular system in an order in which they can be solved: segments of rows that are computed at
/// once, or one after the other.
struct schedule {
  struct segment {
    std::size_t first, last; // in `order`
    bool serial;
  };
  integers order;
  std::vector<segment> segments;
  std::size_t levels = 0;
  rows_pattern below; // the elements of each row without the diagonal
  integers diagonal;  // the position of its value, for each row; empty for a unit diagonal
};
/// `wide`: rows from which on a level is worth a kernel. `most_work`: elements of a serial segment, because
/// software drivers limit the loop iterations of a work-item.
struct cost {
  std::size_t wide, most_work;
};
schedule scheduled(const rows_pattern& a, bool lower, bool unit, const cost& costs);

/// The structure of a b, sorted; without sources.
rows_pattern product_pattern(const rows_pattern& a, const rows_pattern& b);

} // namespace prism::sparse
