#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>
#include <vector>

namespace prism::linalg::host {
namespace {

/// A becomes tridiagonal with diagonal d and real off-diagonal e; the reflectors stay below, as `tau` says.
template <typename E>
void tridiagonalise(const dense<E>& a, real_of_number<E>* d, real_of_number<E>* e, E* tau) {
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
    for (count j = 0; j < left; ++j) { // x = rest v, of the lower triangle
      const count below = left - j - 1;
      x[j] += re_of(rest(j, j)) * v[j] + dot(below, rest.column(j) + j + 1, v + j + 1);
      axpy(below, v[j], rest.column(j) + j + 1, x + j + 1);
    }
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

/// A = the unitary matrix of the reflectors.
template <typename E>
void form_q(const dense<E>& a, const E* tau) {
  const count n = a.rows;
  for (count i = n - 1; i-- > 0;) { // column i + 1 of Q holds reflector i
    E* const to = a.column(i + 1);
    std::copy_n(a.column(i), n, to);
    std::fill_n(to, i + 1, E(0));
  }
  if (n == 0) return;
  std::fill_n(a.column(0), n, E(0));
  a(0, 0) = E(1);
  std::vector<E> tail(static_cast<std::size_t>(n));
  for (count i = n - 1; i-- > 0;) {
    const count left = n - i - 1;
    const dense<E> rest = a.block(i + 1, i + 1, left, left);
    std::copy_n(rest.column(0) + 1, left - 1, tail.begin());
    std::fill_n(rest.column(0), left, E(0));
    rest(0, 0) = E(1);
    reflect(rest, conj(tau[i]), tail.data()); // H itself
  }
}

/// Eigenvalues of the tridiagonal matrix in d; columns of z turn along. 0, or how many are not found.
template <typename E>
std::int64_t implicit_ql(count n, real_of_number<E>* d, real_of_number<E>* e, const dense<E>* z) {
  using R = real_of_number<E>;
  constexpr R epsilon = std::numeric_limits<R>::epsilon();
  constexpr int most_steps = 60;
  if (n > 0) e[n - 1] = 0;
  for (count l = 0; l < n; ++l)
    for (int step = 0;; ++step) {
      count m = l;
      while (m + 1 < n && sycl::fabs(e[m]) > epsilon / 2 * (sycl::fabs(d[m]) + sycl::fabs(d[m + 1]))) ++m;
      if (m == l) break;
      if (step == most_steps) return n - l;
      R g = (d[l + 1] - d[l]) / (2 * e[l]), r = sycl::hypot(g, R(1));
      g = d[m] - d[l] + e[l] / (g + sycl::copysign(r, g));
      R s = 1, c = 1, p = 0;
      count i = m - 1;
      for (; i >= l; --i) {
        const R f = s * e[i], b = c * e[i];
        r = sycl::hypot(f, g);
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
        if (z) rotate(n, z->column(i + 1), z->column(i), c, E(s));
      }
      if (r == 0 && i >= l) continue;
      d[l] -= p, e[l] = g, e[m] = 0;
    }
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
  if (wants_vectors) form_q(a, tau.data());
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
