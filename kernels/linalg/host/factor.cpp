#include "kernels/linalg/host/factor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace prism::linalg::host {
namespace {

constexpr count few_columns = 8, few_rows = 16; // below, the loops themselves

template <typename E>
void swap_rows(const dense<E>& a, count first, count second) {
  if (first == second) return;
  for (count j = 0; j < a.columns; ++j) std::swap(a(first, j), a(second, j));
}

/// The largest of a column, or its first where a NaN hides it.
template <typename E>
count pivot_of(const E* column, count rows) {
  count best = 0;
  real_of_number<E> largest = abs1(column[0]);
  for (count i = 1; i < rows; ++i)
    if (const auto size = abs1(column[i]); size > largest) largest = size, best = i;
  return best;
}

template <typename E>
void divide_column(E* column, count rows, E pivot) {
  if (abs1(pivot) >= std::numeric_limits<real_of_number<E>>::min() * 4) {
    const E inverse = E(1) / pivot;
    for (count i = 0; i < rows; ++i) column[i] = inverse * column[i];
  } else {
    for (count i = 0; i < rows; ++i) column[i] = column[i] / pivot;
  }
}

template <typename E>
std::int64_t lu_of_few_columns(const dense<E>& a, std::int64_t* pivots) {
  std::int64_t info = 0;
  for (count j = 0; j < std::min(a.rows, a.columns); ++j) {
    const count pivot = j + pivot_of(a.column(j) + j, a.rows - j);
    pivots[j] = pivot;
    if (a(pivot, j) == E(0)) {
      if (info == 0) info = j + 1;
      continue;
    }
    swap_rows(a, j, pivot);
    divide_column(a.column(j) + j + 1, a.rows - j - 1, a(j, j));
    for (count k = j + 1; k < a.columns; ++k)
      axpy(a.rows - j - 1, -a(j, k), a.column(j) + j + 1, a.column(k) + j + 1);
  }
  return info;
}

/// B = B inv(L)^H.
template <typename E>
void solve_adjoint_from_right(const dense<E>& l, const dense<E>& b) {
  const count n = l.rows, half = n / 2;
  if (n <= few_rows) {
    for (count j = 0; j < n; ++j) {
      for (count k = 0; k < j; ++k) axpy(b.rows, -conj(l(j, k)), b.column(k), b.column(j));
      const auto inverse = real_of_number<E>(1) / re_of(l(j, j));
      for (count i = 0; i < b.rows; ++i) b(i, j) = inverse * b(i, j);
    }
    return;
  }
  const dense<E> left = b.block(0, 0, b.rows, half), right = b.block(0, half, b.rows, n - half);
  solve_adjoint_from_right(l.block(0, 0, half, half), left);
  add_product<E>(right, half, -1, left, adjoint(l.block(half, 0, n - half, half)));
  solve_adjoint_from_right(l.block(half, half, n - half, n - half), right);
}

/// The lower triangle of C, C -= B B^H; the other triangle is not written.
template <typename E>
void subtract_square(const dense<E>& c, const dense<E>& b) {
  constexpr count few = 32;
  const count n = c.rows, half = n / 2, k = b.columns;
  if (n <= few) {
    E sums[few * few] = {};
    const dense<E> whole{sums, n, n, few};
    add_product<E>(whole, k, 1, b, adjoint(b));
    for (count j = 0; j < n; ++j)
      for (count i = j; i < n; ++i) c(i, j) -= whole(i, j);
    return;
  }
  const dense<E> top = b.block(0, 0, half, k), below = b.block(half, 0, n - half, k);
  subtract_square(c.block(0, 0, half, half), top);
  add_product<E>(c.block(half, 0, n - half, half), k, -1, below, adjoint(top));
  subtract_square(c.block(half, half, n - half, n - half), below);
}

} // namespace

template <typename E>
std::int64_t lu(const dense<E>& a, std::int64_t* pivots) {
  const count least = std::min(a.rows, a.columns), half = least / 2;
  if (least == 0) return 0;
  if (a.columns <= few_columns || least < 2) return lu_of_few_columns(a, pivots);
  const dense<E> left = a.block(0, 0, a.rows, half), right = a.block(0, half, a.rows, a.columns - half);
  std::int64_t info = lu(left, pivots);
  for (count i = 0; i < half; ++i) swap_rows(right, i, count(pivots[i]));
  const dense<E> top = right.block(0, 0, half, right.columns),
                 rest = right.block(half, 0, a.rows - half, right.columns);
  solve_lower(left.block(0, 0, half, half), true, top);
  add_product<E>(rest, half, -1, left.block(half, 0, a.rows - half, half), top);
  if (const std::int64_t second = lu(rest, pivots + half); second != 0 && info == 0) info = second + half;
  for (count i = half; i < least; ++i) {
    pivots[i] += half;
    swap_rows(left, i, count(pivots[i]));
  }
  return info;
}

template <typename E>
std::int64_t cholesky(const dense<E>& a) {
  const count n = a.rows, half = n / 2;
  using R = real_of_number<E>;
  if (n <= few_rows) {
    for (count j = 0; j < n; ++j) {
      const R diagonal = re_of(a(j, j));
      if (!(diagonal > 0)) return j + 1;
      const R root = sycl::sqrt(diagonal);
      a(j, j) = E(root);
      for (count i = j + 1; i < n; ++i) a(i, j) = a(i, j) / root;
      for (count k = j + 1; k < n; ++k) axpy(n - k, -conj(a(k, j)), a.column(j) + k, a.column(k) + k);
    }
    return 0;
  }
  if (const std::int64_t info = cholesky(a.block(0, 0, half, half)); info != 0) return info;
  const dense<E> below = a.block(half, 0, n - half, half), rest = a.block(half, half, n - half, n - half);
  solve_adjoint_from_right(a.block(0, 0, half, half), below);
  subtract_square(rest, below);
  const std::int64_t info = cholesky(rest);
  return info != 0 ? info + half : 0;
}

template <typename E>
void solve_lower(const dense<E>& a, bool unit, const dense<E>& b) {
  const count n = a.rows, half = n / 2;
  if (n <= few_rows || b.columns <= few_columns) {
    for (count j = 0; j < b.columns; ++j)
      for (count k = 0; k < n; ++k) {
        if (!unit) b(k, j) = b(k, j) / a(k, k);
        axpy(n - k - 1, -b(k, j), a.column(k) + k + 1, b.column(j) + k + 1);
      }
    return;
  }
  const dense<E> top = b.block(0, 0, half, b.columns), rest = b.block(half, 0, n - half, b.columns);
  solve_lower(a.block(0, 0, half, half), unit, top);
  add_product<E>(rest, half, -1, a.block(half, 0, n - half, half), top);
  solve_lower(a.block(half, half, n - half, n - half), unit, rest);
}

template <typename E>
void solve_upper(const dense<E>& a, const dense<E>& b) {
  const count n = a.rows, half = n / 2;
  if (n <= few_rows || b.columns <= few_columns) {
    for (count j = 0; j < b.columns; ++j)
      for (count k = n; k-- > 0;) {
        b(k, j) = b(k, j) / a(k, k);
        axpy(k, -b(k, j), a.column(k), b.column(j));
      }
    return;
  }
  const dense<E> top = b.block(0, 0, half, b.columns), rest = b.block(half, 0, n - half, b.columns);
  solve_upper(a.block(half, half, n - half, n - half), rest);
  add_product<E>(top, n - half, -1, a.block(0, half, half, n - half), rest);
  solve_upper(a.block(0, 0, half, half), top);
}

template <typename E>
void invert_lower(const dense<E>& a, bool unit, const dense<E>& to) {
  const count n = a.rows;
  for (count j = 0; j < n; ++j) {
    for (count i = 0; i < n; ++i) to(i, j) = E(i == j ? 1 : 0);
    for (count k = j; k < n; ++k) {
      if (!unit) to(k, j) = to(k, j) / a(k, k);
      axpy(n - k - 1, -to(k, j), a.column(k) + k + 1, to.column(j) + k + 1);
    }
  }
}

template <typename E>
E reflector(count n, E& alpha, E* x) {
  using R = real_of_number<E>;
  R norm = norm2(n - 1, x);
  if (n <= 0 || (norm == 0 && im_of(alpha) == 0)) return E(0);
  const auto whole = [&] { return sycl::hypot(abs(alpha), norm); };
  R beta = re_of(alpha) > 0 ? -whole() : whole();
  constexpr R least = std::numeric_limits<R>::min() / unit_roundoff<R>();
  int rescaled = 0;
  while (sycl::fabs(beta) < least && beta != 0 && rescaled < 20) { // x is denormal
    const R up = 1 / least;
    for (count i = 0; i + 1 < n; ++i) x[i] = up * x[i];
    alpha = up * alpha, ++rescaled;
    norm = norm2(n - 1, x);
    beta = re_of(alpha) > 0 ? -whole() : whole();
  }
  const E tau = (E(beta) - alpha) / beta, inverse = E(1) / (alpha - E(beta));
  for (count i = 0; i + 1 < n; ++i) x[i] = inverse * x[i];
  for (; rescaled > 0; --rescaled) beta *= least;
  alpha = E(beta);
  return tau;
}

template <typename E>
void reflect(const dense<E>& a, E tau, const E* tail) {
  if (tau == E(0)) return;
  for (count j = 0; j < a.columns; ++j) {
    E* const column = a.column(j);
    const E by = -conj(tau) * (column[0] + dot(a.rows - 1, tail, column + 1));
    column[0] += by;
    axpy(a.rows - 1, by, tail, column + 1);
  }
}

template <typename E>
void qr(const dense<E>& a, E* tau) {
  for (count i = 0; i < std::min(a.rows, a.columns); ++i) {
    E* const tail = a.column(i) + i + 1;
    tau[i] = reflector(a.rows - i, a(i, i), tail);
    if (i + 1 < a.columns) reflect(a.block(i, i + 1, a.rows - i, a.columns - i - 1), tau[i], tail);
  }
}

template <typename E>
void qr_pivoted(const dense<E>& a, std::int64_t* order, E* tau) {
  using R = real_of_number<E>;
  std::vector<R> norms(std::size_t(a.columns)), exact(norms);
  for (count j = 0; j < a.columns; ++j)
    order[j] = j, exact[std::size_t(j)] = norms[std::size_t(j)] = norm2(a.rows, a.column(j));
  const R close = sycl::sqrt(unit_roundoff<R>());
  for (count i = 0; i < std::min(a.rows, a.columns); ++i) {
    const count best = std::max_element(norms.begin() + i, norms.end()) - norms.begin();
    if (best != i) {
      std::swap_ranges(a.column(i), a.column(i) + a.rows, a.column(best));
      std::swap(order[i], order[best]);
      norms[std::size_t(best)] = norms[std::size_t(i)], exact[std::size_t(best)] = exact[std::size_t(i)];
    }
    E* const tail = a.column(i) + i + 1;
    tau[i] = reflector(a.rows - i, a(i, i), tail);
    if (i + 1 < a.columns) reflect(a.block(i, i + 1, a.rows - i, a.columns - i - 1), tau[i], tail);
    for (count j = i + 1; j < a.columns; ++j) {
      R &norm = norms[std::size_t(j)], &last = exact[std::size_t(j)];
      if (norm == 0) continue;
      const R part = abs(a(i, j)) / norm, left = std::max(R(0), (1 + part) * (1 - part)), ratio = norm / last;
      if (left * ratio * ratio <= close) norm = last = norm2(a.rows - i - 1, a.column(j) + i + 1);
      else norm *= sycl::sqrt(left);
    }
  }
}

template <typename E>
void multiply_q(const dense<E>& a, const E* tau, const dense<E>& b) {
  for (count i = std::min(a.rows, a.columns); i-- > 0;) // H = (H^H)^H
    reflect(b.block(i, 0, b.rows - i, b.columns), conj(tau[i]), a.column(i) + i + 1);
}

template <typename E>
void block_reflector(const dense<E>& a, const E* tau, const dense<E>& v, const dense<E>& t) {
  const count k = t.rows;
  for (count j = 0; j < k; ++j)
    for (count i = 0; i < a.rows; ++i) v(i, j) = i < j ? E(0) : i == j ? E(1) : a(i, j);
  for (count j = 0; j < k; ++j) {
    for (count i = 0; i < k; ++i) t(i, j) = E(0);
    for (count i = 0; i < j; ++i) t(i, j) = -tau[j] * dot(a.rows - j, v.column(i) + j, v.column(j) + j);
    for (count i = 0; i < j; ++i) { // T(0:j, 0:j) times the column, whose later rows are still as they were
      E sum(0);
      for (count p = i; p < j; ++p) sum += t(i, p) * t(p, j);
      t(i, j) = sum;
    }
    t(j, j) = tau[j];
  }
}

namespace {
/// x = T x for an upper triangle.
template <typename E>
void multiply_triangle(const dense<E>& t, const dense<E>& x) {
  for (count j = 0; j < x.columns; ++j)
    for (count i = 0; i < t.rows; ++i) {
      E sum(0);
      for (count p = i; p < t.rows; ++p) sum += t(i, p) * x(p, j);
      x(i, j) = sum;
    }
}
} // namespace

template <typename E>
void form_q(const dense<E>& a, const E* tau) {
  constexpr count panel = 32;
  const count n = a.columns;
  if (n == 0) return;
  std::vector<E> memory(std::size_t((a.rows + n + panel) * panel + a.rows));
  E* const tail = memory.data() + (a.rows + n + panel) * panel;
  for (count first = (n - 1) / panel * panel; first >= 0; first -= panel) {
    const count columns = std::min(panel, n - first), rows = a.rows - first, behind = n - first - columns;
    const dense<E> block = a.block(first, first, rows, columns);
    if (behind > 0) { // X = T (V^H Q), then Q -= V X; Q has zeros above its own rows
      const dense<E> v{memory.data(), rows, columns, rows},
          x{v.data + a.rows * panel, columns, behind, panel}, t{x.data + n * panel, columns, columns, panel},
          q = a.block(first, first + columns, rows, behind);
      block_reflector(block, tau + first, v, t);
      for (count j = 0; j < behind; ++j) std::fill_n(q.column(j), columns, E(0));
      std::fill_n(x.data, panel * behind, E(0));
      add_product<E>(x, rows, 1, adjoint(v), q);
      multiply_triangle(t, x);
      add_product<E>(q, columns, -1, v, x);
    }
    for (count i = columns; i-- > 0;) { // the block's own columns, one reflector after the other
      const dense<E> rest = block.block(i, i, rows - i, columns - i);
      std::copy_n(rest.column(0) + 1, rows - i - 1, tail);
      std::fill_n(rest.column(0), rows - i, E(0));
      for (count j = 1; j < columns - i; ++j) rest(0, j) = E(0);
      rest(0, 0) = E(1);
      reflect(rest, conj(tau[first + i]), tail); // H itself
    }
  }
}

template <typename E>
std::int64_t refusal_of(const dense<E>& a) {
  for (count j = 0; j < a.columns; ++j)
    for (count i = 0; i < a.rows; ++i)
      if (!is_finite(a(i, j))) return -1;
  return 0;
}

#define PRISM_INSTANTIATE(E)                                                                                 \
  template std::int64_t lu<E>(const dense<E>&, std::int64_t*);                                               \
  template std::int64_t cholesky<E>(const dense<E>&);                                                        \
  template void solve_lower<E>(const dense<E>&, bool, const dense<E>&);                                      \
  template void solve_upper<E>(const dense<E>&, const dense<E>&);                                            \
  template void invert_lower<E>(const dense<E>&, bool, const dense<E>&);                                     \
  template E reflector<E>(count, E&, E*);                                                                    \
  template void reflect<E>(const dense<E>&, E, const E*);                                                    \
  template void qr<E>(const dense<E>&, E*);                                                                  \
  template void qr_pivoted<E>(const dense<E>&, std::int64_t*, E*);                                           \
  template void multiply_q<E>(const dense<E>&, const E*, const dense<E>&);                                   \
  template void block_reflector<E>(const dense<E>&, const E*, const dense<E>&, const dense<E>&);             \
  template void form_q<E>(const dense<E>&, const E*);                                                        \
  template std::int64_t refusal_of<E>(const dense<E>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
