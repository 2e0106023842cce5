#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>
#include <vector>

namespace prism::linalg::host {
namespace {

template <typename R>
using complex_dense = dense<pair<R>>;

/// H = Z^H A Z is zero below its first subdiagonal.
template <typename E>
void to_hessenberg(const dense<E>& a, const dense<E>& z, bool wants_vectors) {
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
  const count n = h.rows, right = whole ? n : last + 1;
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
    // Apart: rows of the block have the same rounding with and without vectors, and so have eigenvalues.
    if (whole) rotate(first, h.column(k), h.column(k + 1), g.c, conj(g.s));
    rotate(bottom - first, h.column(k) + first, h.column(k + 1) + first, g.c, conj(g.s));
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
template <typename E>
std::vector<real_of_number<E>> balance(const dense<E>& a) {
  using R = real_of_number<E>;
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
      scale(n, E(factor), a.column(i));
    }
  }
  return by;
}

/// Differences of eigenvalues that are smaller are taken for this.
template <typename R>
R least_difference(const complex_dense<R>& t) {
  R norm = 0;
  for (count j = 0; j < t.rows; ++j) norm = std::max(norm, norm2(j + 1, t.column(j)));
  return std::max(norm * std::numeric_limits<R>::epsilon(), std::numeric_limits<R>::min() * R(t.rows) * 4);
}
/// Vectors of triangles are scaled where they grow beyond it.
template <typename R>
constexpr R large = R(1e15);

/// Column k of x solves (T - t(k, k)) x = 0 with x(k) = 1.
template <typename R>
void triangular_vectors(const complex_dense<R>& t, const complex_dense<R>& x) {
  using E = pair<R>;
  const count n = t.rows;
  const R least = least_difference(t);
  for (count k = 0; k < n; ++k) {
    E* const to = x.column(k);
    std::fill_n(to, n, E(0));
    to[k] = E(1);
    for (count i = 0; i < k; ++i) to[i] = -t(i, k);
    for (count j = k; j-- > 0;) {
      E divisor = t(j, j) - t(k, k);
      if (abs1(divisor) < least) divisor = E(least);
      to[j] = to[j] / divisor;
      if (abs1(to[j]) > large<R>) scale(k + 1, E(1 / abs1(to[j])), to);
      axpy(j, -to[j], t.column(j), to);
    }
  }
}
/// Column k of x solves x^H (T - t(k, k)) = 0 with x(k) = 1.
template <typename R>
void left_triangular_vectors(const complex_dense<R>& t, const complex_dense<R>& x) {
  using E = pair<R>;
  const count n = t.rows;
  const R least = least_difference(t);
  for (count k = 0; k < n; ++k) {
    E* const to = x.column(k);
    std::fill_n(to, n, E(0));
    to[k] = E(1);
    for (count j = k + 1; j < n; ++j) {
      E divisor = conj(t(j, j) - t(k, k));
      if (abs1(divisor) < least) divisor = E(least);
      to[j] = -dot(j - k, t.column(j) + k, to + k) / divisor;
      if (abs1(to[j]) > large<R>) scale(j - k + 1, E(1 / abs1(to[j])), to + k);
    }
  }
}

template <typename R>
complex_dense<R> square_of(std::vector<pair<R>>& memory, count n) {
  memory.assign(std::size_t(n * n), pair<R>(0));
  return {memory.data(), n, n, std::max<count>(1, n)};
}

/// The Schur form of complex numbers, T and Z. `wants_vectors`: else T's diagonal alone counts.
template <typename R>
std::int64_t schur_of(const complex_dense<R>& a, const complex_dense<R>& t, const complex_dense<R>& z,
                      bool wants_vectors, pair<R>* w) {
  const count n = a.rows;
  const std::int64_t info = schur(a, z, wants_vectors);
  for (count i = 0; i < n; ++i) w[i] = a(i, i);
  for (count j = 0; wants_vectors && j < n; ++j) std::copy_n(a.column(j), n, t.column(j));
  return info;
}
/// The same of a real matrix: its real form, whose blocks of two rows are turned to triangles then.
template <typename R>
std::int64_t schur_of(const dense<R>& a, const complex_dense<R>& t, const complex_dense<R>& z,
                      bool wants_vectors, pair<R>* w) {
  using E = pair<R>;
  const count n = a.rows;
  std::vector<R> memory(wants_vectors ? std::size_t(n * n) : 0);
  const dense<R> real_z{memory.data(), n, n, std::max<count>(1, n)};
  to_hessenberg(a, real_z, wants_vectors);
  const std::int64_t info = real_schur(a, real_z, wants_vectors, w);
  if (!wants_vectors || info != 0) return info;
  for (count j = 0; j < n; ++j)
    for (count i = 0; i < n; ++i) t(i, j) = E(i <= j + 1 ? a(i, j) : R(0)), z(i, j) = E(real_z(i, j));
  for (count k = 0; k + 1 < n; ++k) {
    if (t(k + 1, k) == E(0)) continue;
    const rotation<R> g = rotation_of(w[k] - t(k + 1, k + 1), t(k + 1, k)); // of the block's eigenvector
    for (count j = k; j < n; ++j) {
      E &u = t(k, j), &v = t(k + 1, j);
      const E old = u;
      u = g.c * old + g.s * v, v = g.c * v - conj(g.s) * old;
    }
    rotate(k + 2, t.column(k), t.column(k + 1), g.c, conj(g.s));
    rotate(n, z.column(k), z.column(k + 1), g.c, conj(g.s));
    t(k, k) = w[k], t(k + 1, k + 1) = w[k + 1], t(k + 1, k) = E(0);
  }
  return 0;
}

template <typename R>
void normalise(const complex_dense<R>& v) {
  using E = pair<R>;
  for (count j = 0; j < v.columns; ++j) {
    E* const column = v.column(j);
    const R norm = norm2(v.rows, column);
    if (!(norm > 0)) continue;
    E& largest = *std::max_element(column, column + v.rows, [](E a, E b) { return square(a) < square(b); });
    const E turn = conj(largest) / (abs(largest) * norm);
    scale(v.rows, turn, column);
    largest.im = 0; // without the rounding
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

namespace {

/// Vectors of a real matrix: real ones of real eigenvalues, conjugates of pairs, of which w has the one with
/// a positive imaginary part first.
template <typename R>
void make_pairs(const pair<R>* w, const complex_dense<R>& v) {
  for (count j = 0; j < v.columns; ++j) {
    pair<R>* const column = v.column(j);
    if (w[j].im == 0)
      for (count i = 0; i < v.rows; ++i) column[i].im = 0;
    else if (w[j].im < 0 && j > 0)
      for (count i = 0; i < v.rows; ++i) column[i] = conj(column[i - v.leading]);
  }
}

/// A power of 2 that brings the largest element to about 1.
template <typename E>
real_of_number<E> scale_to_one(const dense<E>& a) {
  using R = real_of_number<E>;
  R largest = 0;
  for (count j = 0; j < a.columns; ++j)
    for (count i = 0; i < a.rows; ++i) largest = std::max(largest, abs1(a(i, j)));
  const R by = largest > 0 ? sycl::exp2(sycl::floor(sycl::log2(largest))) : R(1);
  for (count j = 0; j < a.columns; ++j)
    for (count i = 0; i < a.rows; ++i) a(i, j) = a(i, j) / by;
  return by;
}

} // namespace

template <typename E>
std::int64_t eigen(const dense<E>& a, complex_number<E>* w, const dense<complex_number<E>>& left,
                   const dense<complex_number<E>>& right) {
  using R = real_of_number<E>;
  using C = complex_number<E>;
  const count n = a.rows;
  const bool wants_vectors = left.columns != 0 || right.columns != 0;
  if (refusal_of(a) != 0) {
    const C nan(std::numeric_limits<R>::quiet_NaN());
    std::fill_n(w, n, nan);
    for (const dense<C>* v : {&left, &right})
      for (count j = 0; j < v->columns; ++j) std::fill_n(v->column(j), n, nan);
    return -1;
  }
  const R size = scale_to_one(a);
  const std::vector<R> by = balance(a);
  std::vector<C> of_t, of_z, of_x;
  const count wanted = wants_vectors ? n : 0;
  const dense<C> t = square_of(of_t, wanted), z = square_of(of_z, wanted), x = square_of(of_x, wanted);
  const std::int64_t info = schur_of(a, t, z, wants_vectors, w);
  const auto finish = [&](const dense<C>& v, bool is_left) {
    for (count j = 0; j < n; ++j) std::fill_n(v.column(j), n, C(0));
    add_product<C>(v, n, 1, z, x);
    for (count j = 0; j < n; ++j)
      for (count i = 0; i < n; ++i)
        v(i, j) = (is_left ? 1 / by[std::size_t(i)] : by[std::size_t(i)]) * v(i, j);
    normalise(v);
    if constexpr (!is_pair<E>) make_pairs(w, v), normalise(v);
  };
  if (info == 0 && right.columns != 0) triangular_vectors(t, x), finish(right, false);
  if (info == 0 && left.columns != 0) left_triangular_vectors(t, x), finish(left, true);
  for (count i = 0; i < n; ++i) w[i] = size * w[i];
  return info;
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template std::int64_t schur<R>(const dense<pair<R>>&, const dense<pair<R>>&, bool);                        \
  template std::int64_t eigen<R>(const dense<R>&, pair<R>*, const dense<pair<R>>&, const dense<pair<R>>&);   \
  template std::int64_t eigen<pair<R>>(const dense<pair<R>>&, pair<R>*, const dense<pair<R>>&,               \
                                       const dense<pair<R>>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
