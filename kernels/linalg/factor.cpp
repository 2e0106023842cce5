// Blocked LU, Cholesky and QR factorisations.
#include "kernels/linalg/decompose.hpp"
#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/operands.hpp"

namespace prism::linalg {
namespace {

using plan = std::optional<provider::device_plan>;

/// Columns of a panel: enough for products to be products, few enough that the host's part stays small. A
/// small matrix is one panel: by itself the host factors 256 x 256 doubles in a third of the time that a
/// panel after the other takes, which changes between threads at each, and 512 x 512 in two thirds.
template <typename T>
std::size_t panel_columns(const matrix<T>& a) {
  constexpr std::size_t small = 512 * 512;
  const std::size_t least = std::min(a.rows, a.columns);
  if (a.columns == least && a.size() <= small) return least;
  return std::min<std::size_t>(least, least <= 256 ? 32 : least <= 1536 ? 64 : 128);
}

/// Whether a task of the host may factor the operand where it is: in memory of the host device, column by
/// column.
template <typename T>
bool is_one_panel_here(const sequence& s, const matrix<T>& a) {
  constexpr std::ptrdiff_t parts = parts_of<T>;
  return is_host_device(s) && panel_columns(a) == a.columns && a.size() != 0 && a.row_stride == parts &&
         a.column_stride >= std::ptrdiff_t(a.rows) * parts;
}
/// The extents of such a matrix. A command must not hold the operand itself: the end of a program's buffer
/// waits for the commands that use it.
template <typename T>
struct shape_here {
  host::count rows, columns, leading;
  host::dense<number<T>> at(real_of<T>* first) const {
    return {reinterpret_cast<number<T>*>(first), rows, columns, leading};
  }
};
template <typename T>
shape_here<T> shape_of(const matrix<T>& a) {
  return {host::count(a.rows), host::count(a.columns), host::count(a.column_stride / parts_of<T>)};
}

/// The elements of a matrix wherever they lie.
template <typename T>
struct strided_elements {
  std::ptrdiff_t down, across; // in numbers
  bool conjugate;
  static constexpr host::count tile = 16; // a tile's lines of memory stay in the first-level cache

  void read(const real_of<T>* first, const host::dense<number<T>>& to) const {
    const auto* const from = reinterpret_cast<const number<T>*>(first);
    each(to, [&](host::count i, host::count j) { to(i, j) = plain(from[i * down + j * across]); });
  }
  void write(const host::dense<number<T>>& from, real_of<T>* first) const {
    auto* const to = reinterpret_cast<number<T>*>(first);
    each(from, [&](host::count i, host::count j) { to[i * down + j * across] = plain(from(i, j)); });
  }

private:
  number<T> plain(const number<T>& x) const {
    if constexpr (parts_of<T> == 2)
      if (conjugate) return conj(x);
    return x;
  }
  template <typename Element>
  static void each(const host::dense<number<T>>& of, const Element& element) {
    for (host::count i0 = 0; i0 < of.rows; i0 += tile)
      for (host::count j0 = 0; j0 < of.columns; j0 += tile)
        for (host::count j = j0; j < std::min(j0 + tile, of.columns); ++j)
          for (host::count i = i0; i < std::min(i0 + tile, of.rows); ++i) element(i, j);
  }
};
template <typename T>
strided_elements<T> strided(const matrix<T>& a) {
  return {a.row_stride / parts_of<T>, a.column_stride / parts_of<T>, a.conjugate};
}

template <typename T>
void lu_here(sequence& s, const matrix<T>& a, const indices& pivots, const indices& info) {
  on_host_device(s, [shape = shape_of(a)](real_of<T>* first, std::int64_t* order, std::int64_t* result) {
    *result = host::lu(shape.at(first), order);
  }, a.where, pivots.where, info.where);
}
/// The lower triangle.
template <typename T>
void cholesky_here(sequence& s, const matrix<T>& a, const indices& info) {
  on_host_device(s, [shape = shape_of(a)](real_of<T>* first, std::int64_t* result) {
    *result = host::cholesky(shape.at(first));
  }, a.where, info.where);
}

/// Factors the panel and, if there is room for it, inverts its unit lower triangle; pivots and info count
/// from the matrix's begin.
template <typename T>
void lu_of_panel(const plan& by, host::dense<number<T>> panel, host::dense<number<T>> inverse,
                 std::int64_t* pivots, std::int64_t& info, std::size_t first) {
  std::int64_t own = 0;
  const host::count least = std::min(panel.rows, panel.columns);
  if (!ran(by, {panel.data, pivots, &own})) own = host::lu(panel, pivots);
  for (host::count i = 0; i < least; ++i) pivots[i] += std::int64_t(first);
  if (own > 0 && info == 0) info = own + std::int64_t(first);
  if (inverse.rows != 0)
    host::invert_lower(panel.block(0, 0, least, least), true, inverse.block(0, 0, least, least));
}

template <typename T>
void lu_in_blocks(sequence& s, const matrix<T>& a, const indices& pivots, const indices& info) {
  const std::size_t least = std::min(a.rows, a.columns), width = panel_columns(a);
  const std::size_t of_inverse = width == a.columns ? 1 : width; // one panel needs none
  const matrix<T> all_panel = temporary<T>(a.rows, width), inverse = temporary<T>(of_inverse, of_inverse),
                  all_beside = temporary<T>(width, a.columns);
  const indices order = temporary_vector<std::int64_t>(least), state = temporary_vector<std::int64_t>(1);
  for (std::size_t j = 0; j < least; j += width) {
    const std::size_t columns = std::min(width, least - j), rows = a.rows - j,
                      right = a.columns - j - columns;
    const matrix<T> here = a.block(j, j, rows, columns);
    matrix<T> panel = all_panel.block(0, 0, rows, columns);
    panel.column_stride = std::ptrdiff_t(rows) * parts_of<T>;
    copy(s, here, panel);
    const plan by = described(PRISM_GETRF).add(panel).add(order.part(0, columns)).add(state).on_host(s);
    on_host(s, [=](const auto& memory, const auto& inverted, const auto& found, const auto& result) {
      if (j == 0) result[0] = 0;
      host::dense<number<T>> to = seen(inverted, inverse);
      if (right == 0) to.rows = 0; // nothing is multiplied by it
      lu_of_panel<T>(by, seen(memory, panel), to, &found[j], result[0], j);
    }, *panel.where.buffer, *inverse.where.buffer, *order.where.buffer, *state.where.buffer);
    copy(s, panel, here);
    if (j > 0) exchange_rows(s, a.block(0, 0, a.rows, j), order, j, columns);
    if (right == 0) continue;
    exchange_rows(s, a.block(0, j + columns, a.rows, right), order, j, columns);
    const matrix<T> top = a.block(j, j + columns, columns, right),
                    beside = all_beside.block(0, 0, columns, right);
    multiply<T>(s, 1, inverse.block(0, 0, columns, columns), top, 0, beside);
    copy(s, beside, top);
    if (rows > columns)
      multiply<T>(s, -1, panel.block(columns, 0, rows - columns, columns), beside, 1,
                  a.block(j + columns, j + columns, rows - columns, right));
  }
  copy(s, order, pivots);
  copy(s, state, info);
}

template <typename T>
void cholesky_of_block(const plan& by, host::dense<number<T>> block, host::dense<number<T>> inverse,
                       std::int64_t& info, std::size_t first) {
  std::int64_t own = 0;
  if (info == 0 && !ran(by, {block.data, &own})) own = host::cholesky(block);
  if (own > 0) info = own + std::int64_t(first);
  if (inverse.rows == 0) return;
  if (info == 0) return host::invert_lower(block, false, inverse);
  for (host::count j = 0; j < inverse.columns; ++j) // what follows is no result
    std::fill_n(inverse.column(j), inverse.rows, number<T>(0));
}

/// The lower triangle.
template <typename T>
void cholesky_in_blocks(sequence& s, const matrix<T>& a, const indices& info) {
  using F = factor<real_of<T>>;
  const std::size_t n = a.rows, width = panel_columns(a);
  const std::size_t rest = width == n ? 1 : width; // one block needs no inverse
  const matrix<T> all_block = temporary<T>(width, width), all_inverse = temporary<T>(rest, rest),
                  all_below = temporary<T>(width == n ? 1 : n, rest);
  const indices state = temporary_vector<std::int64_t>(1);
  for (std::size_t j = 0; j < n; j += width) {
    const std::size_t columns = std::min(width, n - j), rows = n - j - columns;
    const matrix<T> here = a.block(j, j, columns, columns), block = all_block.block(0, 0, columns, columns),
                    inverse = all_inverse.block(0, 0, columns, columns);
    copy(s, here, block, part::lower);
    const plan by = described(PRISM_POTRF).add(block).add(state).uplo(true).on_host(s);
    on_host(s, [=](const auto& memory, const auto& of_inverse, const auto& result) {
      if (j == 0) result[0] = 0;
      host::dense<number<T>> to = seen(of_inverse, inverse);
      if (rows == 0) to.rows = 0; // nothing is multiplied by it
      cholesky_of_block<T>(by, seen(memory, block), to, result[0], j);
    }, *block.where.buffer, *inverse.where.buffer, *state.where.buffer);
    copy(s, block, here, part::lower);
    if (rows == 0) continue;
    const matrix<T> left = a.block(j + columns, j, rows, columns),
                    below = all_below.block(0, 0, rows, columns);
    multiply<T>(s, 1, left, adjoint(inverse), 0, below);
    copy(s, below, left);
    const blas::product<T> update{F(real_of<T>(-1)),
                                  below,
                                  adjoint(below),
                                  F(real_of<T>(1)),
                                  a.block(j + columns, j + columns, rows, rows),
                                  false,
                                  true,
                                  parts_of<T> == 2};
    s.then(blas::multiply<T>(s.queue, update, s.before));
  }
  copy(s, state, info);
}

/// V and T of a block of reflectors, made by a task of the host; V's rows begin at the block.
template <typename T>
struct reflectors {
  matrix<T> v, t;
};

/// C = (I - V T V^H) C, or with T^H; with `right` C (I - V T V^H).
template <typename T>
void apply(sequence& s, const reflectors<T>& by, bool right, bool adjoints, const matrix<T>& c,
           const matrix<T>& first, const matrix<T>& second) {
  if (c.size() == 0) return;
  const matrix<T> t = adjoints ? adjoint(by.t) : by.t;
  const std::size_t k = by.t.rows;
  if (right) {
    const matrix<T> cv = first.block(0, 0, c.rows, k), cvt = second.block(0, 0, c.rows, k);
    multiply<T>(s, 1, c, by.v, 0, cv);
    multiply<T>(s, 1, cv, t, 0, cvt);
    multiply<T>(s, -1, cvt, adjoint(by.v), 1, c);
  } else {
    const matrix<T> vc = first.block(0, 0, k, c.columns), tvc = second.block(0, 0, k, c.columns);
    multiply<T>(s, 1, adjoint(by.v), c, 0, vc);
    multiply<T>(s, 1, t, vc, 0, tvc);
    multiply<T>(s, -1, by.v, tvc, 1, c);
  }
}

template <typename T>
matrix<T> contiguous(const matrix<T>& memory, std::size_t rows, std::size_t columns) {
  matrix<T> out = memory.block(0, 0, rows, columns);
  out.column_stride = std::ptrdiff_t(rows) * parts_of<T>;
  return out;
}

template <typename T>
void qr_in_blocks(sequence& s, const matrix<T>& a, const vector<T>& tau) {
  using E = number<T>;
  const std::size_t least = std::min(a.rows, a.columns), width = std::min<std::size_t>(least, 32);
  const matrix<T> panels = temporary<T>(a.rows, width), vs = temporary<T>(a.rows, width),
                  ts = temporary<T>(width, width), first = temporary<T>(width, a.columns),
                  second = temporary<T>(width, a.columns);
  const vector<T> factors = temporary_vector<T>(least);
  for (std::size_t j = 0; j < least; j += width) {
    const std::size_t columns = std::min(width, least - j), rows = a.rows - j,
                      right = a.columns - j - columns;
    const matrix<T> here = a.block(j, j, rows, columns), panel = contiguous(panels, rows, columns),
                    v = contiguous(vs, rows, columns), t = ts.block(0, 0, columns, columns);
    copy(s, here, panel);
    const plan by = described(PRISM_GEQRF).add(panel).add(factors.part(j, columns)).on_host(s);
    on_host(s, [=](const auto& memory, const auto& of_v, const auto& of_t, const auto& of_factors) {
      const host::dense<E> in = seen(memory, panel);
      E* const found = reinterpret_cast<E*>(&of_factors[0]) + j;
      if (!ran(by, {in.data, found})) host::qr(in, found);
      host::block_reflector(in, found, seen(of_v, v), seen(of_t, t));
    }, *panel.where.buffer, *v.where.buffer, *t.where.buffer, *factors.where.buffer);
    copy(s, panel, here);
    if (right > 0)
      apply(s, reflectors<T>{v, t}, false, true, a.block(j, j + columns, rows, right), first, second);
  }
  copy(s, factors, tau);
}

} // namespace

template <typename T>
void lu(sequence& s, const matrix<T>& a, const indices& pivots, const indices& info) {
  if (described(PRISM_GETRF).add(a).add(pivots).add(info).run_by_provider(s)) return;
  if (is_one_panel_here(s, a) && pivots.stride == 1) lu_here(s, a, pivots, info);
  else lu_in_blocks(s, a, pivots, info);
}

template <typename T>
void solve_by_lu(sequence& s, operation op, const matrix<T>& lu, const indices& pivots, const matrix<T>& b) {
  const std::size_t n = lu.rows;
  if (op == operation::plain) {
    exchange_rows(s, b, pivots, 0, n);
    solve_triangle(s, lu, true, true, b);
    solve_triangle(s, lu, false, false, b);
    return;
  }
  const matrix<T> turned = op == operation::adjoint ? adjoint(lu) : lu.transposed();
  solve_triangle(s, turned, true, false, b);
  solve_triangle(s, turned, false, true, b);
  exchange_rows(s, b, pivots, 0, n, true);
}

template <typename T>
bool solve_here(sequence& s, const matrix<T>& a, const matrix<T>& b, const indices& info) {
  // More work gains by the device's threads.
  constexpr std::size_t most_products = 1 << 20;
  const std::size_t n = a.rows;
  if (!is_host_device(s) || panel_columns(a) != n || n * n * b.columns > most_products) return false;
  const matrix<T> factors = temporary<T>(n, n), right = temporary<T>(n, b.columns);
  const indices pivots = temporary_vector<std::int64_t>(n);
  const plan by = described(PRISM_GETRF).add(factors).add(pivots).add(info).on_host(s);
  on_host_device(s,
                 [by, of_a = strided(a), of_b = strided(b), all = shape_of(factors),
                  some = shape_of(right)](real_of<T>* from, real_of<T>* lu, std::int64_t* order,
                                          real_of<T>* to, real_of<T>* x, std::int64_t* result) {
    const host::dense<number<T>> left = all.at(lu), solved = some.at(x);
    of_a.read(from, left), of_b.read(to, solved);
    if (!ran(by, {lu, order, result})) *result = host::lu(left, order);
    for (host::count i = 0; i < left.rows; ++i)
      for (host::count j = 0; order[i] != i && j < solved.columns; ++j)
        std::swap(solved(i, j), solved(order[i], j));
    host::solve_lower(left, true, solved);
    host::solve_upper(left, solved);
    of_b.write(solved, to);
  },
                 only_read(a.where), factors.where, pivots.where, b.where, right.where, info.where);
  return true;
}

template <typename T>
void cholesky(sequence& s, bool lower, const matrix<T>& a, const indices& info) {
  if (described(PRISM_POTRF).add(a).add(info).uplo(lower).run_by_provider(s)) return;
  const matrix<T> lower_of = lower ? a : a.transposed(); // U^T is L of A's conjugate
  if (is_one_panel_here(s, lower_of)) cholesky_here(s, lower_of, info);
  else cholesky_in_blocks(s, lower_of, info);
}

template <typename T>
void solve_by_cholesky(sequence& s, bool lower, const matrix<T>& a, const matrix<T>& b) {
  solve_triangle(s, lower ? a : adjoint(a), true, false, b);
  solve_triangle(s, lower ? adjoint(a) : a, false, false, b);
}

template <typename T>
void qr(sequence& s, const matrix<T>& a, const vector<T>& tau) {
  if (!described(PRISM_GEQRF).add(a).add(tau).run_by_provider(s)) qr_in_blocks(s, a, tau);
}

template <typename T>
void qr_pivoted(sequence& s, const matrix<T>& a, const indices& order, const vector<T>& tau) {
  using E = number<T>;
  if (described(PRISM_GEQP3).add(a).add(order).add(tau).run_by_provider(s)) return;
  const matrix<T> all = temporary<T>(a.rows, a.columns);
  const vector<T> factors = temporary_vector<T>(tau.size);
  const indices found = temporary_vector<std::int64_t>(a.columns);
  copy(s, a, all);
  const plan by = described(PRISM_GEQP3).add(all).add(found).add(factors).on_host(s);
  on_host(s, [=](const auto& memory, const auto& of_found, const auto& of_factors) {
    const host::dense<E> in = seen(memory, all);
    if (!ran(by, {in.data, &of_found[0], &of_factors[0]}))
      host::qr_pivoted(in, &of_found[0], reinterpret_cast<E*>(&of_factors[0]));
  }, *all.where.buffer, *found.where.buffer, *factors.where.buffer);
  copy(s, all, a);
  copy(s, found, order);
  copy(s, factors, tau);
}

template <typename T>
void multiply_by_q(sequence& s, bool right, bool adjoints, const matrix<T>& a, const vector<T>& tau,
                   const matrix<T>& c) {
  using E = number<T>;
  const std::size_t least = std::min(a.rows, a.columns), width = std::min<std::size_t>(least, 64);
  const matrix<T> panels = temporary<T>(a.rows, width), vs = temporary<T>(a.rows, width),
                  ts = temporary<T>(width, width),
                  first = right ? temporary<T>(c.rows, width) : temporary<T>(width, c.columns),
                  second = right ? temporary<T>(c.rows, width) : temporary<T>(width, c.columns);
  const vector<T> factors = temporary_vector<T>(least);
  copy(s, tau, factors);
  const std::size_t blocks = (least + width - 1) / width;
  for (std::size_t b = 0; b < blocks; ++b) { // Q = Q_0 Q_1 ...: the last first for Q C and C Q^H
    const std::size_t j = (adjoints == right ? blocks - 1 - b : b) * width,
                      columns = std::min(width, least - j), rows = a.rows - j;
    const matrix<T> panel = contiguous(panels, rows, columns), v = contiguous(vs, rows, columns),
                    t = ts.block(0, 0, columns, columns);
    copy(s, a.block(j, j, rows, columns), panel);
    on_host(s, [=](const auto& memory, const auto& of_v, const auto& of_t, const auto& of_factors) {
      host::block_reflector(seen(memory, panel), reinterpret_cast<const E*>(&of_factors[0]) + j,
                            seen(of_v, v), seen(of_t, t));
    }, *panel.where.buffer, *v.where.buffer, *t.where.buffer, *factors.where.buffer);
    const matrix<T> part = right ? c.block(0, j, c.rows, rows) : c.block(j, 0, rows, c.columns);
    apply(s, reflectors<T>{v, t}, right, adjoints, part, first, second);
  }
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template void lu<T>(sequence&, const matrix<T>&, const indices&, const indices&);                          \
  template void solve_by_lu<T>(sequence&, operation, const matrix<T>&, const indices&, const matrix<T>&);    \
  template bool solve_here<T>(sequence&, const matrix<T>&, const matrix<T>&, const indices&);                \
  template void cholesky<T>(sequence&, bool, const matrix<T>&, const indices&);                              \
  template void solve_by_cholesky<T>(sequence&, bool, const matrix<T>&, const matrix<T>&);                   \
  template void qr<T>(sequence&, const matrix<T>&, const vector<T>&);                                        \
  template void qr_pivoted<T>(sequence&, const matrix<T>&, const indices&, const vector<T>&);                \
  template void multiply_by_q<T>(sequence&, bool, bool, const matrix<T>&, const vector<T>&, const matrix<T>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg
