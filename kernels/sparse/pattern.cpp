#include "kernels/sparse/pattern.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace prism::sparse {
namespace {

[[noreturn]] void refuse(const std::string& what) { prism::detail::refuse_view("sparse: " + what); }

std::string text(std::size_t n) { return std::to_string(n); }

/// Turns counts, at i + 1, into offsets.
void add_up(integers& offsets) { std::partial_sum(offsets.begin(), offsets.end(), offsets.begin()); }

std::size_t at(index i) { return static_cast<std::size_t>(i); }

void check_offsets(const integers& offsets, std::size_t lines, std::size_t elements, const char* line) {
  if (offsets.size() != lines + 1)
    refuse(text(offsets.size()) + " offsets for " + text(lines) + " " + line + "s instead of " +
           text(lines + 1));
  if (offsets.front() != 0)
    refuse("the first offset is " + std::to_string(offsets.front()) + " instead of 0");
  for (std::size_t i = 0; i < lines; ++i)
    if (offsets[i] > offsets[i + 1])
      refuse(std::string(line) + " " + text(i) + " begins at " + std::to_string(offsets[i]) +
             " and ends before, at " + std::to_string(offsets[i + 1]));
  if (at(offsets.back()) != elements)
    refuse("the last offset is " + std::to_string(offsets.back()) + "; there are " + text(elements) +
           " indices");
}
void check_indices(const integers& indices, std::size_t extent, const char* of) {
  for (std::size_t e = 0; e < indices.size(); ++e)
    if (indices[e] < 0 || at(indices[e]) >= extent)
      refuse("index " + text(e) + " is " + std::to_string(indices[e]) + "; there are " + text(extent) + " " +
             of);
}

rows_pattern from_coo(std::size_t rows, std::size_t columns, const integers& row, const integers& column) {
  rows_pattern out{rows, columns, integers(rows + 1), integers(row.size()), integers(row.size())};
  for (const index i : row) ++out.offsets[at(i) + 1];
  add_up(out.offsets);
  integers next = out.offsets;
  for (std::size_t e = 0; e < row.size(); ++e) {
    const std::size_t to = at(next[at(row[e])]++);
    out.column[to] = column[e], out.source[to] = static_cast<index>(e);
  }
  return out;
}

rows_pattern from_bsr(const detail::shape& of, const integers& offsets, const integers& indices) {
  const std::size_t b = of.block;
  rows_pattern out{of.rows, of.columns, integers(1, 0), {}, {}};
  for (std::size_t i = 0; i < of.rows; ++i) {
    for (std::size_t k = at(offsets[i / b]); k < at(offsets[i / b + 1]); ++k)
      for (std::size_t c = 0; c < b; ++c) {
        out.column.push_back(static_cast<index>(at(indices[k]) * b + c));
        out.source.push_back(static_cast<index>((k * b + i % b) * b + c));
      }
    out.offsets.push_back(static_cast<index>(out.column.size()));
  }
  return out;
}

void require_size(std::size_t n, const char* what) {
  if (n > at(std::numeric_limits<index>::max()) - 1) refuse(text(n) + " " + what + "; indices have 32 bits");
}

} // namespace

rows_pattern read(const detail::shape& of, const integers& first, const integers& second,
                  std::size_t values) {
  const std::size_t b = of.block, elements = second.size();
  require_size(of.rows, "rows"), require_size(of.columns, "columns"), require_size(values, "values");
  if (b == 0) refuse("blocks of 0 rows");
  if (values / b / b != elements || values % (b * b) != 0)
    refuse(text(values) + " values for " + text(elements) + " indices" +
           (b == 1 ? "" : " of blocks of " + text(b) + " x " + text(b)));
  switch (of.layout) {
    case format::coo:
      if (first.size() != elements)
        refuse(text(first.size()) + " row indices and " + text(elements) + " column indices");
      check_indices(first, of.rows, "rows"), check_indices(second, of.columns, "columns");
      return from_coo(of.rows, of.columns, first, second);
    case format::csc: {
      check_offsets(first, of.columns, elements, "column"), check_indices(second, of.rows, "rows");
      rows_pattern columns{of.columns, of.rows, first, second, integers(elements)};
      std::iota(columns.source.begin(), columns.source.end(), 0);
      return transposed(columns, false);
    }
    case format::bsr:
      if (of.rows % b != 0 || of.columns % b != 0)
        refuse(text(of.rows) + " x " + text(of.columns) + " elements are not whole blocks of " + text(b));
      check_offsets(first, of.rows / b, elements, "row of blocks");
      check_indices(second, of.columns / b, "columns of blocks");
      return from_bsr(of, first, second);
    default: {
      check_offsets(first, of.rows, elements, "row"), check_indices(second, of.columns, "columns");
      rows_pattern out{of.rows, of.columns, first, second, integers(elements)};
      std::iota(out.source.begin(), out.source.end(), 0);
      return out;
    }
  }
}

rows_pattern transposed(const rows_pattern& a, bool conjugates) {
  rows_pattern out{a.columns, a.rows, integers(a.columns + 1), integers(a.column.size()),
                   integers(a.column.size())};
  for (const index j : a.column) ++out.offsets[at(j) + 1];
  add_up(out.offsets);
  integers next = out.offsets;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t e = at(a.offsets[i]); e < at(a.offsets[i + 1]); ++e) {
      const std::size_t to = at(next[at(a.column[e])]++);
      out.column[to] = static_cast<index>(i), out.source[to] = conjugates ? ~a.source[e] : a.source[e];
    }
  return out;
}

rows_pattern with_mirror(const rows_pattern& a, symmetry stored) {
  if (stored == symmetry::general) return a;
  if (a.rows != a.columns)
    refuse("a symmetric matrix of " + prism::detail::extents_text(a.rows, a.columns) + " elements");
  const bool lower = stored == symmetry::symmetric_lower || stored == symmetry::hermitian_lower,
             hermitian = stored == symmetry::hermitian_lower || stored == symmetry::hermitian_upper;
  integers row, column, source;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t e = at(a.offsets[i]); e < at(a.offsets[i + 1]); ++e) {
      const std::size_t j = at(a.column[e]);
      if (lower ? j > i : j < i) continue;
      row.push_back(static_cast<index>(i)), column.push_back(a.column[e]), source.push_back(a.source[e]);
      if (i == j) continue;
      row.push_back(a.column[e]), column.push_back(static_cast<index>(i));
      source.push_back(hermitian ? ~a.source[e] : a.source[e]);
    }
  require_size(row.size(), "elements");
  rows_pattern out = from_coo(a.rows, a.columns, row, column);
  for (index& s : out.source) s = source[at(s)];
  return out;
}

rows_pattern sorted(const rows_pattern& a) {
  // Twice transposed; positions of values must not be conjugated on the way.
  return transposed(transposed(a, false), false);
}

target_pattern target_of(const rows_pattern& a, format to, std::size_t b) {
  target_pattern out;
  if (b == 0 || (b != 1 && to != format::bsr)) refuse("a block of " + text(b) + " in this format");
  if (a.rows % b != 0 || a.columns % b != 0)
    refuse(text(a.rows) + " x " + text(a.columns) + " elements are not whole blocks of " + text(b));
  out.first.push_back(0);
  const auto close = [&] { out.first.push_back(static_cast<index>(out.source.size())); };
  if (to != format::bsr) {
    const rows_pattern lines = to == format::csc ? transposed(a, false) : a;
    if (to != format::coo) out.offsets.push_back(0);
    for (std::size_t i = 0; i < lines.rows; ++i) {
      for (std::size_t e = at(lines.offsets[i]); e < at(lines.offsets[i + 1]); ++e) {
        if (e == at(lines.offsets[i]) || lines.column[e] != lines.column[e - 1]) {
          if (!out.indices.empty()) close();
          out.indices.push_back(lines.column[e]);
          if (to == format::coo) out.offsets.push_back(static_cast<index>(i));
        }
        out.source.push_back(lines.source[e]);
      }
      if (to != format::coo) out.offsets.push_back(static_cast<index>(out.indices.size()));
    }
    if (!out.indices.empty()) close();
    return out;
  }
  out.offsets.push_back(0);
  std::vector<std::vector<index>> block(b * b);
  for (std::size_t line = 0; line < a.rows; line += b) {
    std::vector<std::size_t> next;
    for (std::size_t r = 0; r < b; ++r) next.push_back(at(a.offsets[line + r]));
    for (;;) {
      std::size_t column = a.columns / b; // the next block with elements
      for (std::size_t r = 0; r < b; ++r)
        if (next[r] < at(a.offsets[line + r + 1])) column = std::min(column, at(a.column[next[r]]) / b);
      if (column == a.columns / b) break;
      out.indices.push_back(static_cast<index>(column));
      for (std::size_t r = 0; r < b; ++r)
        for (std::size_t c = 0; c < b; ++c) {
          for (; next[r] < at(a.offsets[line + r + 1]) && at(a.column[next[r]]) == column * b + c; ++next[r])
            out.source.push_back(a.source[next[r]]);
          close();
        }
    }
    out.offsets.push_back(static_cast<index>(out.indices.size()));
  }
  require_size(out.first.size(), "values");
  return out;
}

namespace {

/// Splits a triangle into what is below (or above) the diagonal, and the diagonal.
void split(const rows_pattern& a, bool lower, bool unit, schedule& out) {
  out.below.rows = a.rows, out.below.columns = a.columns, out.below.offsets.push_back(0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    std::size_t diagonals = 0;
    for (std::size_t e = at(a.offsets[i]); e < at(a.offsets[i + 1]); ++e) {
      const std::size_t j = at(a.column[e]);
      if (j == i && !unit) {
        out.diagonal.push_back(a.source[e]);
        if (++diagonals == 2) refuse("element (" + text(i) + ", " + text(i) + ") is there twice");
      } else if (lower ? j < i : j > i) {
        out.below.column.push_back(a.column[e]), out.below.source.push_back(a.source[e]);
      }
    }
    if (!unit && diagonals == 0) refuse("row " + text(i) + " has no element on the diagonal");
    out.below.offsets.push_back(static_cast<index>(out.below.column.size()));
  }
}

} // namespace

schedule scheduled(const rows_pattern& a, bool lower, bool unit, const cost& costs) {
  if (a.rows != a.columns)
    refuse("a triangular matrix of " + prism::detail::extents_text(a.rows, a.columns) + " elements");
  schedule out;
  split(a, lower, unit, out);
  const std::size_t n = a.rows;
  integers level(n), first(1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = lower ? k : n - 1 - k;
    for (std::size_t e = at(out.below.offsets[i]); e < at(out.below.offsets[i + 1]); ++e)
      level[i] = std::max(level[i], level[at(out.below.column[e])] + 1);
    out.levels = std::max(out.levels, at(level[i]) + 1);
  }
  first.resize(out.levels + 1);
  for (const index l : level) ++first[at(l) + 1];
  add_up(first);
  out.order.resize(n);
  integers next = first;
  for (std::size_t i = 0; i < n; ++i) out.order[at(next[at(level[i])]++)] = static_cast<index>(i);
  for (std::size_t l = 0; l < out.levels; ++l) {
    const std::size_t begin = at(first[l]), end = at(first[l + 1]);
    const bool serial = end - begin < costs.wide;
    if (serial && !out.segments.empty() && out.segments.back().serial) out.segments.back().last = end;
    else out.segments.push_back({begin, end, serial});
  }
  // Any order of the rows of a serial segment that respects the triangle is right; that of memory is best.
  std::vector<schedule::segment> cut;
  for (const schedule::segment& s : out.segments) {
    if (!s.serial) {
      cut.push_back(s);
      continue;
    }
    const auto begin = out.order.begin();
    std::sort(begin + std::ptrdiff_t(s.first), begin + std::ptrdiff_t(s.last));
    if (!lower) std::reverse(begin + std::ptrdiff_t(s.first), begin + std::ptrdiff_t(s.last));
    std::size_t work = 0, start = s.first;
    for (std::size_t k = s.first; k < s.last; ++k) {
      const std::size_t i = at(out.order[k]), added = at(out.below.offsets[i + 1] - out.below.offsets[i]) + 1;
      if (work + added > costs.most_work && k > start) cut.push_back({start, k, true}), start = k, work = 0;
      work += added;
    }
    cut.push_back({start, s.last, true});
  }
  out.segments = std::move(cut);
  return out;
}

rows_pattern product_pattern(const rows_pattern& a, const rows_pattern& b) {
  if (a.columns != b.rows)
    refuse("a product of " + prism::detail::extents_text(a.rows, a.columns) + " and " +
           prism::detail::extents_text(b.rows, b.columns));
  rows_pattern out{a.rows, b.columns, integers(1, 0), {}, {}};
  integers seen(b.columns, -1);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const std::size_t begin = out.column.size();
    for (std::size_t e = at(a.offsets[i]); e < at(a.offsets[i + 1]); ++e) {
      const std::size_t k = at(a.column[e]);
      for (std::size_t f = at(b.offsets[k]); f < at(b.offsets[k + 1]); ++f)
        if (seen[at(b.column[f])] != static_cast<index>(i))
          seen[at(b.column[f])] = static_cast<index>(i), out.column.push_back(b.column[f]);
    }
    // Dense rows are found again in order; others are sorted.
    const std::size_t count = out.column.size() - begin;
    if (count > b.columns / 32) {
      out.column.resize(begin);
      for (std::size_t j = 0; j < b.columns; ++j)
        if (seen[j] == static_cast<index>(i)) out.column.push_back(static_cast<index>(j));
    } else std::sort(out.column.begin() + std::ptrdiff_t(begin), out.column.end());
    require_size(out.column.size(), "elements of the product");
    out.offsets.push_back(static_cast<index>(out.column.size()));
  }
  return out;
}

} // namespace prism::sparse
