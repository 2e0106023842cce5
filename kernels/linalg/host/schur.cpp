#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>
#include <vector>

namespace prism::linalg::host {
namespace {

template <typename R>
using complex_dense = dense<pair<R>>;

/// H = Z^H A Z is zero below its first subdiagonal.
template <typename R>
void to_hessenberg(const complex_dense<R>& a, const complex_dense<R>& z, bool wants_vectors) {
  using E = pair<R>;
  const count n = a.rows;
  std::vector<E> v(static_cast<std::size_t>(n)), by(v), tau(v);
  for (count i = 0; i + 2 < n; ++i) {
    const count left = n - i - 1;
    E* const x = a.column(i) + i + 1;
    tau[std::size_t(i)] = reflector(left, x[0], x + 1);
    const E t = tau[std::size_t(i)];
    if (t == E(0)) continue;
    reflect(a.block(i + 1, i + 1, left, left), t, x + 1);
    v[0] = E(1), std::copy_n(x + 1, left - 1, v.begin() + 1);
    std::fill(by.begin(), by.end(), E(0)); // A = A H: by = A v, A -= tau by v^H
    for (count j = 0; j < left; ++j) axpy(n, v[std::size_t(j)], a.column(i + 1 + j), by.data());
    for (count j = 0; j < left; ++j) axpy(n, -t * conj(v[std::size_t(j)]), by.data(), a.column(i + 1 + j));
  }
  if (wants_vectors) {
    for (count j = 0; j < n; ++j)
      for (count i = 0; i < n; ++i) z(i, j) = E(i == j ? 1 : 0);
    for (count i = n - 2; i-- > 0;) {
      const count left = n - i - 1;
      std::copy_n(a.column(i) + i + 2, left - 1, v.begin());
      reflect(z.block(i + 1, i + 1, left, left), conj(tau[std::size_t(i)]), v.data());
    }
  }
  for (count j = 0; j < n; ++j)
    for (count i = j + 2; i < n; ++i) a(i, j) = E(0);
}

template <typename R>
struct rotation {
  R c;
  pair<R> s;
};
/// (c s; -conj(s) c) (f, g) = (r, 0).
template <typename R>
rotation<R> rotation_of(pair<R> f, pair<R> g) {
  using E = pair<R>;
  const R of_f = abs(f), of_g = abs(g);
  if (of_g == 0) return {R(1), E(0)};
  if (of_f == 0) return {R(0), conj(g) / of_g};
  const R whole = sycl::hypot(of_f, of_g);
  return {of_f / whole, (f / of_f) * (conj(g) / whole)};
}

/// The eigenvalue of the last 2 x 2 block that is closer to its last element.
template <typename R>
pair<R> wilkinson_shift(const complex_dense<R>& h, count last) {
  using E = pair<R>;
  const E a = h(last - 1, last - 1), b = h(last - 1, last), c = h(last, last - 1), d = h(last, last);
  const E half = R(0.5) * (a - d), inside = half * half + b * c;
  const R size = abs(inside);
  // The root with a real part that is not negative.
  const R re = sycl::sqrt(std::max(R(0), (size + inside.re) / 2)),
          im = sycl::copysign(sycl::sqrt(std::max(R(0), (size - inside.re) / 2)), inside.im);
  E root(re, im);
  if (half.re * re + half.im * im < 0) root = -root;
  const E divisor = half + root;
  return divisor == E(0) ? d : d - (b * c) / divisor;
}

/// One QR step on rows first..last; everything beyond turns along where the whole form is wanted.
template <typename R>
void qr_step(const complex_dense<R>& h, const complex_dense<R>& z, bool whole, count first, count last,
             pair<R> shift) {
  using E = pair<R>;
  const count n = h.rows, top = whole ? 0 : first, right = whole ? n : last + 1;
  E x = h(first, first) - shift, y = h(first + 1, first);
  for (count k = first; k < last; ++k) {
    const rotation<R> g = rotation_of(x, y);
    for (count j = std::max(first, k - 1); j < right; ++j) {
      E &u = h(k, j), &v = h(k + 1, j);
      const E old = u;
      u = g.c * old + g.s * v, v = g.c * v - conj(g.s) * old;
    }
    if (k > first) h(k + 1, k - 1) = E(0);
    const count bottom = std::min(k + 2, last) + 1;
    rotate(bottom - top, h.column(k) + top, h.column(k + 1) + top, g.c, conj(g.s));
    if (whole) rotate(n, z.column(k), z.column(k + 1), g.c, conj(g.s));
    if (k + 2 <= last) x = h(k + 1, k), y = h(k + 2, k);
  }
}

template <typename R>
bool negligible(const complex_dense<R>& h, count i, R norm) {
  R beside = abs1(h(i - 1, i - 1)) + abs1(h(i, i));
  if (beside == 0) beside = norm;
  return abs1(h(i, i - 1)) <= std::numeric_limits<R>::epsilon() / 2 * beside ||
         abs1(h(i, i - 1)) < std::numeric_limits<R>::min();
}

/// Powers of 2 that make rows and columns of A of like norm.
template <typename R>
std::vector<R> balance(const complex_dense<R>& a) {
  const count n = a.rows;
  std::vector<R> by(std::size_t(n), R(1));
  for (bool again = true; again;) {
    again = false;
    for (count i = 0; i < n; ++i) {
      R row = 0;
      for (count j = 0; j < n; ++j) row = sycl::hypot(row, abs(a(i, j)));
      R column = norm2(n, a.column(i)), factor = 1;
      if (row == 0 || column == 0) continue;
      const R before = row + column;
      const auto in_range = [&](R f) {
        return by[std::size_t(i)] * f < R(1e18) && by[std::size_t(i)] * f > R(1e-18);
      };
      while (column < row / 2 && in_range(factor * 2)) column *= 2, row /= 2, factor *= 2;
      while (column >= row * 2 && in_range(factor / 2)) column /= 2, row *= 2, factor /= 2;
      if (factor == 1 || row + column >= R(0.95) * before) continue;
      again = true;
      by[std::size_t(i)] *= factor;
      for (count j = 0; j < n; ++j) a(i, j) = a(i, j) / factor;
      scale(n, pair<R>(factor), a.column(i));
    }
  }
  return by;
}

/// Column k of x solves (T - t(k, k)) x = 0 with x(k) = 1, scaled where it grows out of range.
template <typename R>
void triangular_vectors(const complex_dense<R>& t, const complex_dense<R>& x) {
  using E = pair<R>;
  const count n = t.rows;
  R norm = 0;
  for (count j = 0; j < n; ++j) norm = std::max(norm, norm2(j + 1, t.column(j)));
  const R least =
      std::max(norm * std::numeric_limits<R>::epsilon(), std::numeric_limits<R>::min() * R(n) * 4);
  constexpr R large = R(1e15);
  for (count k = 0; k < n; ++k) {
    E* const to = x.column(k);
    std::fill_n(to, n, E(0));
    to[k] = E(1);
    for (count i = 0; i < k; ++i) to[i] = -t(i, k);
    for (count j = k; j-- > 0;) {
      E divisor = t(j, j) - t(k, k);
      if (abs1(divisor) < least) divisor = E(least);
      to[j] = to[j] / divisor;
      if (abs1(to[j]) > large) scale(k + 1, E(1 / abs1(to[j])), to);
      axpy(j, -to[j], t.column(j), to);
    }
  }
}

template <typename R>
void normalise(const complex_dense<R>& v) {
  using E = pair<R>;
  for (count j = 0; j < v.columns; ++j) {
    E* const column = v.column(j);
    const R norm = norm2(v.rows, column);
    if (!(norm > 0)) continue;
    const E largest =
        *std::max_element(column, column + v.rows, [](E a, E b) { return square(a) < square(b); });
    const E turn = conj(largest) / (abs(largest) * norm);
    scale(v.rows, turn, column);
  }
}

} // namespace

template <typename R>
std::int64_t schur(const dense<pair<R>>& a, const dense<pair<R>>& z, bool wants_vectors) {
  const count n = a.rows;
  to_hessenberg(a, z, wants_vectors);
  R norm = 0;
  for (count j = 0; j < n; ++j) norm = std::max(norm, norm2(std::min(n, j + 2), a.column(j)));
  constexpr int most_steps = 60;
  int step = 0;
  for (count last = n - 1; last > 0;) {
    count first = last;
    while (first > 0 && !negligible(a, first, norm)) --first;
    if (first > 0) a(first, first - 1) = pair<R>(0);
    if (first == last) {
      --last, step = 0;
      continue;
    }
    if (step == most_steps) return last + 1;
    const bool exceptional = step > 0 && step % 10 == 0;
    const pair<R> shift =
        exceptional ? a(last, last) + pair<R>(R(0.75) * abs1(a(last, last - 1))) : wilkinson_shift(a, last);
    qr_step(a, z, wants_vectors, first, last, shift);
    ++step;
  }
  return 0;
}

template <typename R>
std::int64_t eigen(const dense<pair<R>>& a, pair<R>* w, const dense<pair<R>>& v, bool wants_vectors) {
  using E = pair<R>;
  const count n = a.rows;
  if (refusal_of(a) != 0) {
    const E nan(std::numeric_limits<R>::quiet_NaN());
    std::fill_n(w, n, nan);
    for (count j = 0; wants_vectors && j < n; ++j) std::fill_n(v.column(j), n, nan);
    return -1;
  }
  const std::vector<R> by = balance(a);
  std::vector<E> all(wants_vectors ? std::size_t(n * n) : 0), of_triangle(all);
  const dense<E> z{all.data(), n, n, std::max<count>(1, n)},
      x{of_triangle.data(), n, n, std::max<count>(1, n)};
  const std::int64_t info = schur(a, z, wants_vectors);
  for (count i = 0; i < n; ++i) w[i] = a(i, i);
  if (!wants_vectors || info != 0) return info;
  triangular_vectors(a, x);
  for (count j = 0; j < n; ++j) std::fill_n(v.column(j), n, E(0));
  add_product<E>(v, n, 1, z, x);
  for (count j = 0; j < n; ++j)
    for (count i = 0; i < n; ++i) v(i, j) = by[std::size_t(i)] * v(i, j);
  normalise(v);
  return 0;
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template std::int64_t schur<R>(const dense<pair<R>>&, const dense<pair<R>>&, bool);                        \
  template std::int64_t eigen<R>(const dense<pair<R>>&, pair<R>*, const dense<pair<R>>&, bool);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
