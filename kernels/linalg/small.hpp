// Decompositions of small matrices by one work-item each. Matrices of a batch are interleaved: neighbours in
// memory are the same element of neighbouring matrices, so that on processors the work-items of a vector load
// and store vectors, and on others neighbouring work-items touch neighbouring addresses (Abdelfattah, Haidar,
// Tomov & Dongarra 2017, "Fast Cholesky factorization on GPUs for batch and native modes in MAGMA").
#pragma once

#include "kernels/linalg/number.hpp"

#include <cstddef>

namespace prism::linalg {

/// One matrix of an interleaved batch; real and imaginary parts are planes of their own.
template <typename E>
struct small {
  using R = real_of_number<E>;
  R* data;
  std::size_t columns, count, number; // `count` are interleaved, this one is `number`

  static constexpr std::size_t parts = is_pair<E> ? 2 : 1;
  R* at(std::size_t i, std::size_t j) const { return data + (i * columns + j) * parts * count + number; }
  E get(std::size_t i, std::size_t j) const {
    const R* const p = at(i, j);
    if constexpr (is_pair<E>) return {p[0], p[count]};
    else return p[0];
  }
  void set(std::size_t i, std::size_t j, E value) const {
    R* const p = at(i, j);
    p[0] = re_of(value);
    if constexpr (is_pair<E>) p[count] = value.im;
  }
};
struct small_indices {
  std::int64_t* data;
  std::size_t count, number;
  std::int64_t& operator[](std::size_t i) const { return data[i * count + number]; }
};

/// A = P L U; the result is LAPACK's info.
template <typename E>
std::int64_t small_lu(const small<E>& a, std::size_t m, std::size_t n, const small_indices& pivots) {
  std::int64_t info = 0;
  for (std::size_t k = 0; k < sycl::min(m, n); ++k) {
    std::size_t pivot = k;
    auto largest = abs1(a.get(k, k));
    for (std::size_t i = k + 1; i < m; ++i)
      if (const auto size = abs1(a.get(i, k)); size > largest) largest = size, pivot = i;
    pivots[k] = static_cast<std::int64_t>(pivot);
    if (pivot != k)
      for (std::size_t j = 0; j < n; ++j) {
        const E old = a.get(k, j);
        a.set(k, j, a.get(pivot, j)), a.set(pivot, j, old);
      }
    const E diagonal = a.get(k, k);
    if (diagonal == E(0)) {
      if (info == 0) info = static_cast<std::int64_t>(k) + 1;
      continue;
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const E factor = a.get(i, k) / diagonal;
      a.set(i, k, factor);
      for (std::size_t j = k + 1; j < n; ++j) a.set(i, j, a.get(i, j) - factor * a.get(k, j));
    }
  }
  return info;
}

/// B = inv(A) B by the factors.
template <typename E>
void small_solve(const small<E>& a, std::size_t n, const small_indices& pivots, const small<E>& b) {
  for (std::size_t j = 0; j < b.columns; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto other = static_cast<std::size_t>(pivots[i]);
      const E old = b.get(i, j);
      b.set(i, j, b.get(other, j)), b.set(other, j, old);
    }
    for (std::size_t i = 0; i < n; ++i) {
      E sum = b.get(i, j);
      for (std::size_t k = 0; k < i; ++k) sum -= a.get(i, k) * b.get(k, j);
      b.set(i, j, sum);
    }
    for (std::size_t i = n; i-- > 0;) {
      E sum = b.get(i, j);
      for (std::size_t k = i + 1; k < n; ++k) sum -= a.get(i, k) * b.get(k, j);
      b.set(i, j, sum / a.get(i, i));
    }
  }
}

/// A = L L^H in the lower triangle.
template <typename E>
std::int64_t small_cholesky(const small<E>& a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    auto diagonal = re_of(a.get(j, j));
    for (std::size_t k = 0; k < j; ++k) diagonal -= square(a.get(j, k));
    if (!(diagonal > 0)) return static_cast<std::int64_t>(j) + 1;
    const auto root = sycl::sqrt(diagonal);
    a.set(j, j, E(root));
    for (std::size_t i = j + 1; i < n; ++i) {
      E sum = a.get(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= a.get(i, k) * conj(a.get(j, k));
      a.set(i, j, sum / root);
    }
  }
  return 0;
}

/// A = Q R as LAPACK's geqr2 stores it. `tau` is of one column.
template <typename E>
void small_qr(const small<E>& a, std::size_t m, std::size_t n, const small<E>& tau) {
  using R = real_of_number<E>;
  for (std::size_t k = 0; k < sycl::min(m, n); ++k) {
    R largest = 0;
    for (std::size_t i = k; i < m; ++i) largest = sycl::max(largest, abs1(a.get(i, k)));
    R sum = 0; // of the tail, scaled so that squares stay in range
    for (std::size_t i = k + 1; i < m; ++i)
      if (largest > 0) sum += square(a.get(i, k) / largest);
    const E alpha = a.get(k, k);
    if (!(sum != 0) && im_of(alpha) == 0) {
      tau.set(k, 0, E(0));
      continue;
    }
    const R norm = largest * sycl::sqrt(square(alpha / largest) + sum),
            beta = re_of(alpha) > 0 ? -norm : norm;
    const E t = (E(beta) - alpha) / beta, below = alpha - E(beta);
    for (std::size_t i = k + 1; i < m; ++i) a.set(i, k, a.get(i, k) / below);
    a.set(k, k, E(beta)), tau.set(k, 0, t);
    for (std::size_t j = k + 1; j < n; ++j) {
      E product = a.get(k, j);
      for (std::size_t i = k + 1; i < m; ++i) product += conj(a.get(i, k)) * a.get(i, j);
      const E by = conj(t) * product;
      a.set(k, j, a.get(k, j) - by);
      for (std::size_t i = k + 1; i < m; ++i) a.set(i, j, a.get(i, j) - by * a.get(i, k));
    }
  }
}

/// (x, y) = (c x + s y, c y - conj(s) x) for two columns.
template <typename E>
void small_rotate(const small<E>& a, std::size_t rows, std::size_t p, std::size_t q, real_of_number<E> c,
                  E s) {
  for (std::size_t i = 0; i < rows; ++i) {
    const E x = a.get(i, p), y = a.get(i, q);
    a.set(i, p, c * x + s * y), a.set(i, q, c * y - conj(s) * x);
  }
}

template <typename E>
struct jacobi_rotation {
  real_of_number<E> c;
  E s;
};
/// The rotation that makes (a, b; conj(b), d) diagonal, |b| = size.
template <typename E>
jacobi_rotation<E> small_rotation(real_of_number<E> a, real_of_number<E> d, E b, real_of_number<E> size) {
  using R = real_of_number<E>;
  const R zeta = (d - a) / (2 * size);
  const R t = sycl::copysign(R(1), zeta) / (sycl::fabs(zeta) + sycl::sqrt(R(1) + zeta * zeta));
  const R c = 1 / sycl::sqrt(R(1) + t * t);
  return {c, -(c * t) * (conj(b) / size)};
}

/// Cyclic Jacobi sweeps on a whole Hermitian matrix until its other elements are below rounding (Golub & Van
/// Loan 2013, 8.5): the diagonal is the eigenvalues then. Columns of v turn along. 0, or 1 where so many
/// sweeps are not enough.
template <typename E>
std::int64_t small_eigen(const small<E>& a, std::size_t n, const small<E>& v, int most_sweeps) {
  using R = real_of_number<E>;
  R largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) largest = sycl::max(largest, abs1(a.get(i, j)));
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool turned = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const E b = a.get(p, q);
        const R size = abs(b);
        if (!(size > unit_roundoff<R>() * largest / 8) || size < std::numeric_limits<R>::min()) continue;
        turned = true;
        const R of_p = re_of(a.get(p, p)), of_q = re_of(a.get(q, q));
        const jacobi_rotation<E> by = small_rotation(of_p, of_q, b, size);
        small_rotate(a, n, p, q, by.c, by.s);
        for (std::size_t j = 0; j < n; ++j) { // the rows by the adjoint
          const E x = a.get(p, j), y = a.get(q, j);
          a.set(p, j, by.c * x + conj(by.s) * y), a.set(q, j, by.c * y - by.s * x);
        }
        a.set(p, q, E(0)), a.set(q, p, E(0));
        if (v.columns > 0) small_rotate(v, n, p, q, by.c, by.s);
      }
    if (!turned) return 0;
  }
  return 1;
}

/// One-sided Jacobi on the columns of an m x n matrix, m >= n; columns of v turn along.
template <typename E>
std::int64_t small_orthogonalise(const small<E>& a, std::size_t m, std::size_t n, const small<E>& v,
                                 int most_sweeps) {
  using R = real_of_number<E>;
  constexpr R tiny = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon();
  const R close = 4 * unit_roundoff<R>();
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool turned = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        R of_p = 0, of_q = 0;
        E both(0);
        for (std::size_t i = 0; i < m; ++i) {
          const E x = a.get(i, p), y = a.get(i, q);
          of_p += square(x), of_q += square(y), both += conj(x) * y;
        }
        const R size = abs(both);
        if (of_p < tiny || of_q < tiny || !(size > close * sycl::sqrt(of_p) * sycl::sqrt(of_q))) continue;
        turned = true;
        const jacobi_rotation<E> by = small_rotation(of_p, of_q, both, size);
        small_rotate(a, m, p, q, by.c, by.s);
        if (v.columns > 0) small_rotate(v, n, p, q, by.c, by.s);
      }
    if (!turned) return 0;
  }
  return 1;
}

} // namespace prism::linalg
