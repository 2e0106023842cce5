// Dense matrices in the host's memory, and the loops in which the host's decompositions spend their time,
// compiled for the instruction sets of x86-64-v3 and v4 too and chosen when the program runs. One thread, no
// allocation but in `add_product` and `turn_columns` (std::bad_alloc).
#pragma once

#include "kernels/linalg/number.hpp"

#include <cstddef>

namespace prism::linalg::host {

using count = std::ptrdiff_t;

/// Columns, `leading` elements apart.
template <typename E>
struct dense {
  E* data = nullptr;
  count rows = 0, columns = 0, leading = 1;
  E& operator()(count i, count j) const { return data[i + j * leading]; }
  E* column(count j) const { return data + j * leading; }
  dense block(count i, count j, count m, count n) const { return {data + i + j * leading, m, n, leading}; }
};

/// A factor of a product: a matrix, its transpose or its adjoint.
template <typename E>
struct factor {
  const E* data;
  count down, across;
  bool conjugate = false;
  factor(const dense<E>& a) : data(a.data), down(1), across(a.leading) {}
  factor(const E* first, count between_rows, count between_columns, bool conjugated)
      : data(first), down(between_rows), across(between_columns), conjugate(conjugated) {}
};
template <typename E>
factor<E> adjoint(const dense<E>& a) {
  return {a.data, a.leading, 1, true};
}

/// C += sign A B, with A of m x k. Packed panels and tiles of registers (Goto & van de Geijn 2008).
template <typename E>
void add_product(const dense<E>& c, count k, real_of_number<E> sign, const factor<E>& a, const factor<E>& b);

/// The sum of conj(x[i]) y[i].
template <typename E>
E dot(count n, const E* x, const E* y);
/// y += a x.
template <typename E>
void axpy(count n, E a, const E* x, E* y);
/// (x, y) = (c x + s y, c y - conj(s) x).
template <typename E>
void rotate(count n, E* x, E* y, real_of_number<E> c, E s);
/// x += A v.
template <typename E>
void add_matrix_product(const dense<E>& a, const E* v, E* x);
/// x += A^H v.
template <typename E>
void add_adjoint_product(const dense<E>& a, const E* v, E* x);
/// x += A v, for the lower triangle of a Hermitian A.
template <typename E>
void add_hermitian_product(const dense<E>& a, const E* v, E* x);

/// Rotations of adjacent columns: i turns columns i + 1 and i as `rotate` does, from `first` down to `last`;
/// none where `last` is more.
template <typename R>
struct rotations {
  count first = 0, last = 0;
  R *c = nullptr, *s = nullptr; // of rotation i at [i]
};
/// The rotations of some sweeps, one sweep after the other. Upward: column i is the i-th from the end.
template <typename R>
void turn_columns(const dense<R>& z, const rotations<R>* first, count sweeps, bool upward);

template <typename E>
void scale(count n, E a, E* x) {
  for (count i = 0; i < n; ++i) x[i] = a * x[i];
}
/// The 2-norm, without needless overflow: scaled where the plain sum of squares is out of range.
template <typename E>
real_of_number<E> norm2(count n, const E* x);

} // namespace prism::linalg::host
