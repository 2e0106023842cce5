#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace prism::linalg::host {
namespace {

template <typename E>
struct owned {
  std::vector<E> memory;
  dense<E> view;
  owned(count m, count n)
      : memory(std::size_t(m * n), E(0)), view{memory.data(), m, n, std::max<count>(1, m)} {}
  owned(const owned&) = delete;
};

/// Turns two columns of x until they are orthogonal, and those of j along. False where they were.
template <typename E>
bool orthogonalise(const dense<E>& x, const dense<E>& j, count p, count q, real_of_number<E>& of_p,
                   real_of_number<E>& of_q, real_of_number<E> close) {
  using R = real_of_number<E>;
  const E both = dot(x.rows, x.column(p), x.column(q));
  const R size = abs(both);
  if (!(size > close * sycl::sqrt(of_p) * sycl::sqrt(of_q)) || size == 0) return false;
  const R zeta = (of_q - of_p) / (2 * size);
  const R t = sycl::copysign(R(1), zeta) / (sycl::fabs(zeta) + sycl::hypot(R(1), zeta));
  const R c = 1 / sycl::hypot(R(1), t), s = c * t;
  const E turn = -s * (conj(both) / size);
  rotate(x.rows, x.column(p), x.column(q), c, turn);
  if (j.rows > 0) rotate(j.rows, j.column(p), j.column(q), c, turn);
  of_p = std::max(R(0), of_p - t * size), of_q += t * size;
  return true;
}

/// The square of a column's norm. One that leaves the range of the type is 0, and the column with it: next to
/// the largest column, of about 1, it is far below rounding, and its angles to others cannot be seen.
template <typename E>
real_of_number<E> square_of_column(const dense<E>& x, count i) {
  using R = real_of_number<E>;
  const R sum = re_of(dot(x.rows, x.column(i), x.column(i)));
  if (sum >= std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon()) return sum;
  std::fill_n(x.column(i), x.rows, E(0));
  return R(0);
}

/// Sweeps over all pairs of columns until none turns. 0, or 1 where that does not end.
template <typename E>
std::int64_t sweep(const dense<E>& x, const dense<E>& j) {
  using R = real_of_number<E>;
  const count n = x.columns;
  const R close = sycl::sqrt(R(x.rows)) * unit_roundoff<R>();
  constexpr int most_sweeps = 40;
  std::vector<R> norms(static_cast<std::size_t>(n));
  for (int round = 0; round < most_sweeps; ++round) {
    for (count i = 0; i < n; ++i) norms[std::size_t(i)] = square_of_column(x, i);
    bool turned = false;
    for (count p = 0; p + 1 < n; ++p) {
      const count largest = std::max_element(norms.begin() + p, norms.end()) - norms.begin(); // de Rijk 1989
      if (largest != p) {
        std::swap_ranges(x.column(p), x.column(p) + x.rows, x.column(largest));
        if (j.rows > 0) std::swap_ranges(j.column(p), j.column(p) + j.rows, j.column(largest));
        std::swap(norms[std::size_t(p)], norms[std::size_t(largest)]);
      }
      for (count q = p + 1; q < n; ++q)
        turned |= orthogonalise(x, j, p, q, norms[std::size_t(p)], norms[std::size_t(q)], close);
    }
    if (!turned) return 0;
  }
  return 1;
}

/// Columns of x by their norms, those of norm 0 completed to an orthonormal basis.
template <typename E>
void normalise_columns(const dense<E>& x, real_of_number<E>* s) {
  using R = real_of_number<E>;
  count rank = x.columns;
  for (count i = x.columns; i-- > 0;) {
    s[i] = norm2(x.rows, x.column(i));
    if (s[i] > 0)
      for (count k = 0; k < x.rows; ++k) x(k, i) = x(k, i) / s[i];
    else rank = i;
  }
  if (rank == x.columns) return;
  owned<E> basis(x.rows, rank), rest(x.rows, x.columns - rank);
  std::vector<E> tau(std::size_t(rank), E(0));
  for (count j = 0; j < rank; ++j) std::copy_n(x.column(j), x.rows, basis.view.column(j));
  qr(basis.view, tau.data());
  for (count j = 0; j < rest.view.columns; ++j) rest.view(rank + j, j) = E(R(1));
  multiply_q(basis.view, tau.data(), rest.view);
  for (count j = rank; j < x.columns; ++j) std::copy_n(rest.view.column(j - rank), x.rows, x.column(j));
}

template <typename E>
void sort_descending(const dense<E>& x, const dense<E>& j, real_of_number<E>* s) {
  for (count i = 0; i + 1 < x.columns; ++i) {
    const count largest = std::max_element(s + i, s + x.columns) - s;
    if (largest == i) continue;
    std::swap(s[i], s[largest]);
    std::swap_ranges(x.column(i), x.column(i) + x.rows, x.column(largest));
    if (j.rows > 0) std::swap_ranges(j.column(i), j.column(i) + j.rows, j.column(largest));
  }
}

/// Of a matrix with at least as many rows as columns. `left`, `right`: A = left diag(s) right^H, left of m x
/// n or m x m columns.
template <typename E>
std::int64_t of_tall(const dense<E>& a, real_of_number<E>* s, const dense<E>& left, const dense<E>& right,
                     bool wants_vectors) {
  const count m = a.rows, n = a.columns;
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::vector<E> tau(std::size_t(n), E(0));
  qr_pivoted(a, order.data(), tau.data());
  owned<E> x(n, n), j(wants_vectors ? n : 0, wants_vectors ? n : 0); // R^H J = X diag(s)
  for (count k = 0; k < n; ++k)
    for (count i = 0; i <= k; ++i) x.view(k, i) = conj(a(i, k));
  for (count i = 0; i < j.view.rows; ++i) j.view(i, i) = E(1);
  const std::int64_t info = sweep(x.view, j.view);
  // Norms are values now; the columns are sorted by them before they are divided.
  for (count i = 0; i < n; ++i) s[i] = sycl::sqrt(square_of_column(x.view, i));
  sort_descending(x.view, j.view, s);
  normalise_columns(x.view, s);
  if (!wants_vectors) return info;
  for (count k = 0; k < left.columns; ++k) {
    std::fill_n(left.column(k), m, E(0));
    if (k < n) std::copy_n(j.view.column(k), n, left.column(k));
    else left(k, k) = E(1);
  }
  multiply_q(a, tau.data(), left);
  for (count k = 0; k < n; ++k)
    for (count i = 0; i < n; ++i) right(count(order[std::size_t(i)]), k) = x.view(i, k);
  return info;
}

/// A power of 2 that brings the largest element to about 1.
template <typename E>
real_of_number<E> scale_of(const dense<E>& a) {
  using R = real_of_number<E>;
  R largest = 0;
  for (count j = 0; j < a.columns; ++j)
    for (count i = 0; i < a.rows; ++i) largest = std::max(largest, abs1(a(i, j)));
  return largest > 0 ? sycl::exp2(sycl::floor(sycl::log2(largest))) : R(1);
}

} // namespace

template <typename E>
std::int64_t singular_values(const dense<E>& a, real_of_number<E>* s, const dense<E>& u, const dense<E>& w,
                             bool wants_vectors) {
  using R = real_of_number<E>;
  const count m = a.rows, n = a.columns, least = std::min(m, n);
  if (refusal_of(a) != 0) {
    const R nan = std::numeric_limits<R>::quiet_NaN();
    std::fill_n(s, least, nan);
    for (count j = 0; wants_vectors && j < u.columns; ++j) std::fill_n(u.column(j), u.rows, E(nan));
    for (count j = 0; wants_vectors && j < w.columns; ++j) std::fill_n(w.column(j), w.rows, E(nan));
    return -1;
  }
  const R by = scale_of(a);
  const bool turned = m < n; // then A^H, whose vectors are exchanged
  owned<E> tall(turned ? n : m, turned ? m : n);
  for (count j = 0; j < n; ++j)
    for (count i = 0; i < m; ++i)
      (turned ? tall.view(j, i) : tall.view(i, j)) = turned ? conj(a(i, j)) / by : a(i, j) / by;
  const count of_left = wants_vectors ? (turned ? w.rows : u.columns) : 0,
              of_right = wants_vectors ? (turned ? u.columns : w.rows) : 0;
  owned<E> left(tall.view.rows, of_left), right(tall.view.columns, std::min(of_right, least));
  constexpr count few = 64; // columns of which Jacobi's rotations take little time
  const std::int64_t info = least > few ? bidiagonal_singular_values(tall.view, s, left.view, right.view)
                                        : of_tall(tall.view, s, left.view, right.view, wants_vectors);
  for (count i = 0; i < least; ++i) s[i] *= by;
  if (!wants_vectors) return info;
  const dense<E>&to_u = turned ? right.view : left.view, &to_w = turned ? left.view : right.view;
  for (count j = 0; j < u.columns; ++j) std::copy_n(to_u.column(j), m, u.column(j));
  for (count i = 0; i < w.rows; ++i)
    for (count j = 0; j < n; ++j) w(i, j) = conj(to_w(j, i));
  return info;
}

#define PRISM_INSTANTIATE(E)                                                                                 \
  template std::int64_t singular_values<E>(const dense<E>&, real_of_number<E>*, const dense<E>&,             \
                                           const dense<E>&, bool);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
