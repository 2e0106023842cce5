// Singular values by a bidiagonal matrix. The reduction is by panels of columns and rows, after each of which
// the rest is updated by products, so that half of its work are such (Dongarra, Sorensen & Hammarling 1989;
// LAPACK's labrd and gebrd). The iteration is the implicit QR with a shift, or with none where that would
// spoil small values (Demmel & Kahan 1990; LAPACK's bdsqr).
#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"
#include "kernels/linalg/host/sweeps.hpp"

namespace prism::linalg::host {
namespace {

constexpr count panel = 32, few = 64;

/// to -= A v; v becomes -v.
template <typename E>
void subtract_product(const dense<E>& a, E* v, E* to) {
  for (count k = 0; k < a.columns; ++k) v[k] = -v[k];
  add_matrix_product(a, v, to);
}
/// to -= A conj(w) for a row w of `weights`.
template <typename E>
void subtract_row(const dense<E>& a, const dense<E>& weights, count row, E* work, E* to) {
  for (count k = 0; k < a.columns; ++k) work[k] = conj(weights(row, k));
  subtract_product(a, work, to);
}
/// to -= A (B^H v)
template <typename E>
void subtract_projection(const dense<E>& a, const dense<E>& b, const E* v, E* work, E* to) {
  std::fill_n(work, a.columns, E(0));
  add_adjoint_product(b, v, work);
  subtract_product(a, work, to);
}

/// The reduction: Q^H A P is upper bidiagonal with diagonal d and e next to it, both real. The reflectors of
/// Q and P go below the diagonals of `q` and of `p` without its first row and column, where these have
/// columns.
template <typename E>
class reduction {
  using R = real_of_number<E>;

public:
  reduction(const dense<E>& a, R* d, R* e, const dense<E>& q, const dense<E>& p, E* tau_q, E* tau_p)
      : m_a(a), m_q(q), m_p(p), m_d(d), m_e(e), m_tau_q(tau_q), m_tau_p(tau_p) {}

  void run() {
    const count n = m_a.columns;
    count top = 0;
    for (; n - top > few; top += panel) reduce_panel(top);
    for (; top < n; ++top) reduce_one(top);
  }

private:
  /// Reflects the column, which becomes d; the tail of the reflector is in `column` after its first element.
  E reflect_column(count i, E* column) {
    const count rows = m_a.rows - i;
    const E tau = m_tau_q[i] = reflector(rows, column[0], column + 1);
    m_d[i] = re_of(column[0]);
    column[0] = E(1);
    if (m_q.columns > 0) std::copy_n(column, rows, m_q.column(i) + i);
    return tau;
  }
  E reflect_row(count i, E* row) {
    const count columns = m_a.columns - i - 1;
    const E tau = m_tau_p[i] = reflector(columns, row[0], row + 1);
    m_e[i] = re_of(row[0]);
    row[0] = E(1);
    if (m_p.columns > 0) std::copy_n(row, columns, m_p.column(i + 1) + i + 1);
    return tau;
  }

  /// The matrix is A - V Y^H - X U^H, of which a step reads one column and one row.
  void reduce_panel(count top) {
    const count rows = m_a.rows - top, columns = m_a.columns - top;
    m_memory.assign(std::size_t(2 * (rows + columns) * panel + panel), E(0));
    const dense<E> v{m_memory.data(), rows, panel, rows}, x{v.data + rows * panel, rows, panel, rows},
        u{x.data + rows * panel, columns, panel, columns},
        y{u.data + columns * panel, columns, panel, columns};
    E* const work = y.data + columns * panel;
    for (count i = 0; i < panel; ++i) {
      const count below = rows - i, right = columns - i - 1;
      E* const now = v.column(i) + i;
      std::copy_n(m_a.column(top + i) + top + i, below, now);
      subtract_row(v.block(i, 0, below, i), y, i, work, now);
      subtract_row(x.block(i, 0, below, i), u, i, work, now);
      const E tau_q = reflect_column(top + i, now);
      E* const to_y = y.column(i) + i + 1;
      add_adjoint_product(m_a.block(top + i, top + i + 1, below, right), now, to_y);
      subtract_projection(y.block(i + 1, 0, right, i), v.block(i, 0, below, i), now, work, to_y);
      subtract_projection(u.block(i + 1, 0, right, i), x.block(i, 0, below, i), now, work, to_y);
      scale(right, tau_q, to_y);
      E* const row = u.column(i) + i + 1;
      for (count j = 0; j < right; ++j) row[j] = conj(m_a(top + i, top + i + 1 + j));
      subtract_row(y.block(i + 1, 0, right, i + 1), v, i, work, row);
      subtract_row(u.block(i + 1, 0, right, i), x, i, work, row);
      const E tau_p = reflect_row(top + i, row);
      E* const to_x = x.column(i) + i + 1;
      add_matrix_product(m_a.block(top + i + 1, top + i + 1, below - 1, right), row, to_x);
      subtract_projection(v.block(i + 1, 0, below - 1, i + 1), y.block(i + 1, 0, right, i + 1), row, work,
                          to_x);
      subtract_projection(x.block(i + 1, 0, below - 1, i), u.block(i + 1, 0, right, i), row, work, to_x);
      scale(below - 1, tau_p, to_x);
    }
    const count m = rows - panel, n = columns - panel;
    const dense<E> rest = m_a.block(top + panel, top + panel, m, n);
    add_product<E>(rest, panel, -1, v.block(panel, 0, m, panel), adjoint(y.block(panel, 0, n, panel)));
    add_product<E>(rest, panel, -1, x.block(panel, 0, m, panel), adjoint(u.block(panel, 0, n, panel)));
  }

  void reduce_one(count i) {
    const count below = m_a.rows - i, right = m_a.columns - i - 1;
    E* const column = m_a.column(i) + i;
    const E tau_q = reflect_column(i, column);
    reflect(m_a.block(i, i + 1, below, right), tau_q, column + 1);
    if (right == 0) return;
    m_memory.assign(std::size_t(right + below), E(0));
    E *const row = m_memory.data(), *const x = row + right;
    for (count j = 0; j < right; ++j) row[j] = conj(m_a(i, i + 1 + j));
    const E tau_p = reflect_row(i, row);
    const dense<E> rest = m_a.block(i + 1, i + 1, below - 1, right);
    add_matrix_product(rest, row, x);
    for (count j = 0; j < right; ++j) axpy(below - 1, -(tau_p * conj(row[j])), x, rest.column(j));
  }

  const dense<E>& m_a;
  const dense<E>&m_q, &m_p;
  R *m_d, *m_e;
  E *m_tau_q, *m_tau_p;
  std::vector<E> m_memory;
};

/// The smaller singular value of [[f, g], [0, h]] (LAPACK's las2).
template <typename R>
R least_of_two(R f, R g, R h) {
  f = sycl::fabs(f), g = sycl::fabs(g), h = sycl::fabs(h);
  const R small = std::min(f, h), large = std::max(f, h);
  if (small == 0) return R(0);
  const R sum = 1 + small / large, difference = (large - small) / large;
  if (g < large) {
    const R by = (g / large) * (g / large);
    return small * (2 / (sycl::sqrt(sum * sum + by) + sycl::sqrt(difference * difference + by)));
  }
  const R by = large / g;
  if (by == 0) return small * large / g;
  const R c = 1 / (length(R(1), sum * by) + length(R(1), difference * by));
  return 2 * (small * c * by);
}

/// c f + s g = r, c g - s f = 0.
template <typename R>
void make_rotation(R f, R g, R& c, R& s, R& r) {
  if (g == 0) {
    c = 1, s = 0, r = f;
    return;
  }
  r = sycl::copysign(length(f, g), f);
  c = f / r, s = g / r;
}

/// The iteration. Rotations turn the columns of `left` and `right` along, where they are not null.
template <typename E>
class bidiagonal_steps {
  using R = real_of_number<E>;

public:
  bidiagonal_steps(count n, R* d, R* e, const dense<E>* left, const dense<E>* right)
      : m_n(n), m_d(d), m_e(e), m_left(n, left), m_right(n, right) {}

  /// 0, or how many elements of e are not zero.
  std::int64_t run() {
    constexpr R epsilon = std::numeric_limits<R>::epsilon() / 2;
    constexpr count most_steps = 6;
    m_close = std::max(R(10), std::min(R(100), sycl::pow(epsilon, R(-0.125)))) * epsilon;
    R least = sycl::fabs(m_d[0]), mu = least;
    for (count i = 1; i < m_n && least > 0; ++i) {
      mu = sycl::fabs(m_d[i]) * (mu / (mu + sycl::fabs(m_e[i - 1])));
      least = std::min(least, mu);
    }
    m_zero = std::max(m_close * least / sycl::sqrt(R(m_n)),
                      R(most_steps * m_n) * (R(m_n) * std::numeric_limits<R>::min()));
    count last = m_n - 1, done = 0, first_before = -1, last_before = -1;
    bool upward = true;
    while (last > 0) {
      if (done > most_steps * m_n * m_n) break;
      count first = last;
      R largest = sycl::fabs(m_d[last]);
      while (first > 0 && sycl::fabs(m_e[first - 1]) > m_zero) {
        --first;
        largest = std::max({largest, sycl::fabs(m_d[first]), sycl::fabs(m_e[first])});
      }
      if (first > 0) m_e[first - 1] = 0;
      if (first == last) {
        --last;
        continue;
      }
      if (first > last_before || last < first_before)
        upward = sycl::fabs(m_d[first]) >= sycl::fabs(m_d[last]);
      R smallest = 0;
      if (splits(first, last, upward, smallest)) continue;
      first_before = first, last_before = last;
      done += last - first;
      R shift = 0;
      if (R(m_n) * m_close * (smallest / largest) > std::max(epsilon, m_close / 100)) {
        const R start = sycl::fabs(m_d[upward ? first : last]);
        shift = upward ? least_of_two(m_d[last - 1], m_e[last - 1], m_d[last])
                       : least_of_two(m_d[first], m_e[first], m_d[first + 1]);
        if (start > 0 && (shift / start) * (shift / start) < epsilon) shift = 0;
      }
      step(first, last, upward, shift);
    }
    m_left.apply(), m_right.apply();
    return std::count_if(m_e, m_e + m_n - 1, [](R x) { return x != 0; });
  }

private:
  /// Sets an element of e to zero that changes no singular value by more than rounding does, if there is one.
  bool splits(count first, count last, bool upward, R& smallest) {
    const count end = upward ? last - 1 : first;
    if (sycl::fabs(m_e[end]) <= m_close * sycl::fabs(m_d[upward ? last : first])) return m_e[end] = 0, true;
    R mu = smallest = sycl::fabs(m_d[upward ? first : last]);
    for (count k = 0; k < last - first; ++k) {
      const count i = upward ? first + k : last - 1 - k;
      R& between = m_e[i];
      if (sycl::fabs(between) <= m_close * mu) return between = 0, true;
      mu = sycl::fabs(m_d[upward ? i + 1 : i]) * (mu / (mu + sycl::fabs(between)));
      smallest = std::min(smallest, mu);
    }
    return false;
  }

  /// One step from `first` to `last` ("upward": in the order of the indices), or back: then the matrix is
  /// taken as its transpose from the end, and the two sides' rotations are exchanged.
  void step(count first, count last, bool upward, R shift) {
    delayed_sweeps<E>&of_rows = upward ? m_right : m_left, &of_columns = upward ? m_left : m_right;
    const count size = last - first;
    // Number k of the step is d(k), e(k) between d(k) and d(k + 1).
    const auto d = [&](count k) -> R& { return m_d[upward ? first + k : last - k]; };
    const auto e = [&](count k) -> R& { return m_e[upward ? first + k : last - 1 - k]; };
    // Columns first + k and first + k + 1, or last - k and last - k - 1: a sweep's rotations fall.
    const count highest = upward ? m_n - 2 - first : last - 1, lowest = highest - (size - 1);
    of_rows.begin(highest, lowest, upward), of_columns.begin(highest, lowest, upward);
    const auto turn = [&](delayed_sweeps<E>& side, count k, R c, R s) { side.add(highest - k, c, s); };
    R c, s, r;
    if (shift == 0) {
      R old_c = 1, old_s = 0;
      c = 1;
      for (count k = 0; k < size; ++k) {
        make_rotation(d(k) * c, e(k), c, s, r);
        if (k > 0) e(k - 1) = old_s * r;
        turn(of_rows, k, c, s);
        make_rotation(old_c * r, d(k + 1) * s, old_c, old_s, d(k));
        turn(of_columns, k, old_c, old_s);
      }
      const R h = d(size) * c;
      d(size) = h * old_c, e(size - 1) = h * old_s;
    } else {
      R f = (sycl::fabs(d(0)) - shift) * (sycl::copysign(R(1), d(0)) + shift / d(0)), g = e(0);
      for (count k = 0; k < size; ++k) {
        make_rotation(f, g, c, s, r);
        if (k > 0) e(k - 1) = r;
        f = c * d(k) + s * e(k), e(k) = c * e(k) - s * d(k);
        g = s * d(k + 1), d(k + 1) = c * d(k + 1);
        turn(of_rows, k, c, s);
        make_rotation(f, g, c, s, d(k));
        f = c * e(k) + s * d(k + 1), d(k + 1) = c * d(k + 1) - s * e(k);
        if (k + 1 < size) g = s * e(k + 1), e(k + 1) = c * e(k + 1);
        turn(of_columns, k, c, s);
      }
      e(size - 1) = f;
    }
    if (sycl::fabs(e(size - 1)) <= m_zero) e(size - 1) = 0;
  }

  count m_n;
  R *m_d, *m_e;
  R m_close = 0, m_zero = 0; // of neighbours; of everything
  delayed_sweeps<E> m_left, m_right;
};

} // namespace

template <typename E>
std::int64_t bidiagonal_singular_values(const dense<E>& a, real_of_number<E>* s, const dense<E>& left,
                                        const dense<E>& right) {
  using R = real_of_number<E>;
  const count n = a.columns;
  const bool wants = right.columns > 0;
  std::vector<R> e(std::size_t(n), R(0));
  std::vector<E> tau_q(std::size_t(std::max(left.columns, n)), E(0)), tau_p(std::size_t(n), E(0));
  reduction<E>(a, s, e.data(), left, right, tau_q.data(), tau_p.data()).run();
  if (wants) {
    form_q(left, tau_q.data());
    for (count i = 0; i < n; ++i) right(i, 0) = right(0, i) = E(i == 0 ? 1 : 0);
    form_q(right.block(1, 1, n - 1, n - 1), tau_p.data());
  }
  const dense<E> first = wants ? left.block(0, 0, left.rows, n) : left;
  const std::int64_t info =
      bidiagonal_steps<E>(n, s, e.data(), wants ? &first : nullptr, wants ? &right : nullptr).run();
  for (count i = 0; i < n; ++i) {
    if (s[i] < 0 || (s[i] == 0 && sycl::signbit(s[i]))) {
      s[i] = -s[i];
      if (wants) scale(n, E(-1), right.column(i));
    }
  }
  for (count i = 0; i + 1 < n; ++i) {
    const count largest = std::max_element(s + i, s + n) - s;
    if (largest == i) continue;
    std::swap(s[i], s[largest]);
    if (!wants) continue;
    std::swap_ranges(left.column(i), left.column(i) + left.rows, left.column(largest));
    std::swap_ranges(right.column(i), right.column(i) + n, right.column(largest));
  }
  return info;
}

#define PRISM_INSTANTIATE(E)                                                                                 \
  template std::int64_t bidiagonal_singular_values<E>(const dense<E>&, real_of_number<E>*, const dense<E>&,  \
                                                      const dense<E>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
