#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/sweeps.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>
#include <vector>

namespace prism::linalg::host {
namespace {

constexpr count columns_of_panel = 32;

/// Column i of the panel's W, which makes A - V W^H - W V^H the reflected A: v is reflector `at`, and `all`
/// the matrix below and right of its row, without the panel's reflectors before it.
template <typename E>
void column_of_w(const dense<E>& all, const dense<E>& v, const dense<E>& w, count i, E tau) {
  using R = real_of_number<E>;
  const count left = all.rows, skipped = v.rows - left;
  const E* const now = v.column(i) + skipped;
  E* const x = w.column(i) + skipped;
  std::fill_n(x, left, E(0));
  add_hermitian_product(all, now, x);
  for (count k = 0; k < i; ++k) {
    const E *before = v.column(k) + skipped, *product = w.column(k) + skipped;
    const E of_w = dot(left, product, now), of_v = dot(left, before, now);
    axpy(left, -of_w, before, x), axpy(left, -of_v, product, x);
  }
  for (count j = 0; j < left; ++j) x[j] = tau * x[j];
  const E alpha = R(-0.5) * (tau * dot(left, x, now));
  axpy(left, alpha, now, x);
}

/// rest -= V W^H + W V^H, by blocks of columns; above the diagonal only within these.
template <typename E>
void update_rest(const dense<E>& rest, const dense<E>& v, const dense<E>& w) {
  constexpr count wide = 96;
  const count n = rest.rows;
  for (count j = 0; j < n; j += wide) {
    const count columns = std::min(wide, n - j);
    const dense<E> to = rest.block(j, j, n - j, columns);
    add_product<E>(to, v.columns, -1, v.block(j, 0, n - j, v.columns),
                   adjoint(w.block(j, 0, columns, v.columns)));
    add_product<E>(to, v.columns, -1, w.block(j, 0, n - j, v.columns),
                   adjoint(v.block(j, 0, columns, v.columns)));
  }
}

/// A becomes tridiagonal with diagonal d and real off-diagonal e; the reflectors stay below, as `tau` says.
/// Golub & Van Loan 2013, 8.3.
template <typename E>
void tridiagonalise_few(const dense<E>& a, real_of_number<E>* d, real_of_number<E>* e, E* tau) {
  using R = real_of_number<E>;
  const count n = a.rows;
  std::vector<E> product(static_cast<std::size_t>(n));
  for (count i = 0; i + 1 < n; ++i) {
    const count left = n - i - 1;
    E* const v = a.column(i) + i + 1;
    tau[i] = reflector(left, v[0], v + 1);
    e[i] = re_of(v[0]);
    d[i] = re_of(a(i, i));
    if (tau[i] == E(0)) continue;
    v[0] = E(1);
    const dense<E> rest = a.block(i + 1, i + 1, left, left);
    E* const x = product.data();
    std::fill_n(x, left, E(0));
    add_hermitian_product(rest, v, x);
    for (count j = 0; j < left; ++j) x[j] = tau[i] * x[j];
    const E alpha = R(-0.5) * (tau[i] * dot(left, x, v));
    axpy(left, alpha, v, x);
    for (count j = 0; j < left; ++j) { // rest -= v x^H + x v^H
      axpy(left - j, -conj(x[j]), v + j, rest.column(j) + j);
      axpy(left - j, -conj(v[j]), x + j, rest.column(j) + j);
    }
  }
  if (n > 0) d[n - 1] = re_of(a(n - 1, n - 1));
}

/// The same by panels of columns, after each of which the rest is updated by a product (Dongarra, Sorensen &
/// Hammarling 1989; LAPACK's latrd and sytrd).
template <typename E>
void tridiagonalise(const dense<E>& a, real_of_number<E>* d, real_of_number<E>* e, E* tau) {
  constexpr count few = 64;
  const count n = a.rows;
  count top = 0;
  std::vector<E> memory(std::size_t(n > few ? 2 * n * columns_of_panel : 0));
  for (; n - top > few; top += columns_of_panel) {
    const count rows = n - top, left_of_all = rows - columns_of_panel;
    const dense<E> w{memory.data(), rows, columns_of_panel, n},
        v{memory.data() + n * columns_of_panel, rows, columns_of_panel, n}; // with zeros above the reflectors
    for (count i = 0; i < columns_of_panel; ++i) {
      E* const now = a.column(top + i) + top;
      for (count k = 0; k < i; ++k) {
        axpy(rows - i, -conj(w(i, k)), v.column(k) + i, now + i);
        axpy(rows - i, -conj(v(i, k)), w.column(k) + i, now + i);
      }
      d[top + i] = re_of(now[i]);
      const count left = rows - i - 1;
      std::fill_n(v.column(i), rows, E(0)), std::fill_n(w.column(i), rows, E(0));
      E* const reflected = now + i + 1;
      E& to_tau = tau[top + i];
      to_tau = reflector(left, reflected[0], reflected + 1);
      e[top + i] = re_of(reflected[0]);
      if (to_tau == E(0)) continue;
      reflected[0] = E(1);
      std::copy_n(reflected, left, v.column(i) + i + 1);
      column_of_w(a.block(top + i + 1, top + i + 1, left, left), v, w, i, to_tau);
    }
    update_rest(a.block(top + columns_of_panel, top + columns_of_panel, left_of_all, left_of_all),
                v.block(columns_of_panel, 0, left_of_all, columns_of_panel),
                w.block(columns_of_panel, 0, left_of_all, columns_of_panel));
  }
  tridiagonalise_few(a.block(top, top, n - top, n - top), d + top, e + top, tau + top);
}

/// A = the unitary matrix of the reflectors, which leave the first row and column alone.
template <typename E>
void form_unitary(const dense<E>& a, const E* tau) {
  const count n = a.rows;
  if (n == 0) return;
  for (count i = n - 1; i-- > 0;) std::copy_n(a.column(i), n, a.column(i + 1));
  for (count i = 0; i < n; ++i) a(i, 0) = a(0, i) = E(i == 0 ? 1 : 0);
  form_q(a.block(1, 1, n - 1, n - 1), tau);
}

/// Eigenvalues of the tridiagonal matrix in d; columns of z turn along. 0, or how many are not found.
template <typename E>
std::int64_t implicit_ql(count n, real_of_number<E>* d, real_of_number<E>* e, const dense<E>* z) {
  using R = real_of_number<E>;
  constexpr R epsilon = std::numeric_limits<R>::epsilon();
  constexpr int most_steps = 60;
  if (n > 0) e[n - 1] = 0;
  delayed_sweeps<E> turns(n, z);
  for (count l = 0; l < n; ++l)
    for (int step = 0;; ++step) {
      count m = l;
      while (m + 1 < n && sycl::fabs(e[m]) > epsilon / 2 * (sycl::fabs(d[m]) + sycl::fabs(d[m + 1]))) ++m;
      if (m == l) break;
      if (step == most_steps) return turns.apply(), n - l;
      R g = (d[l + 1] - d[l]) / (2 * e[l]), r = sycl::hypot(g, R(1));
      g = d[m] - d[l] + e[l] / (g + sycl::copysign(r, g));
      R s = 1, c = 1, p = 0;
      count i = m - 1;
      turns.begin(i, l, false);
      for (; i >= l; --i) {
        const R f = s * e[i], b = c * e[i];
        r = length(f, g);
        e[i + 1] = r;
        if (r == 0) {
          d[i + 1] -= p, e[m] = 0;
          break;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        turns.add(i, c, s);
      }
      if (r == 0 && i >= l) continue;
      d[l] -= p, e[l] = g, e[m] = 0;
    }
  turns.apply();
  return 0;
}

template <typename E>
void sort_ascending(count n, real_of_number<E>* w, const dense<E>* z) {
  for (count i = 0; i + 1 < n; ++i) {
    const count least = std::min_element(w + i, w + n) - w;
    if (least == i) continue;
    std::swap(w[i], w[least]);
    if (z) std::swap_ranges(z->column(i), z->column(i) + n, z->column(least));
  }
}

} // namespace

template <typename E>
std::int64_t hermitian_eigen(const dense<E>& a, real_of_number<E>* w, bool wants_vectors) {
  using R = real_of_number<E>;
  const count n = a.rows;
  for (count j = 0; j < n; ++j)
    for (count i = j; i < n; ++i) {
      if (i == j ? !sycl::isfinite(re_of(a(i, j))) : !is_finite(a(i, j))) {
        const R nan = std::numeric_limits<R>::quiet_NaN();
        std::fill_n(w, n, nan);
        for (count k = 0; k < n; ++k) std::fill_n(a.column(k), n, E(nan));
        return -1;
      }
    }
  std::vector<R> e(std::size_t(n), R(0));
  std::vector<E> tau(std::size_t(n), E(0));
  tridiagonalise(a, w, e.data(), tau.data());
  if (wants_vectors) form_unitary(a, tau.data());
  const std::int64_t info = implicit_ql<E>(n, w, e.data(), wants_vectors ? &a : nullptr);
  sort_ascending<E>(n, w, wants_vectors ? &a : nullptr);
  return info;
}

#define PRISM_INSTANTIATE(E)                                                                                 \
  template std::int64_t hermitian_eigen<E>(const dense<E>&, real_of_number<E>*, bool);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
