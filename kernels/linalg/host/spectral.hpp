// Decompositions by iteration and functions of matrices in the host's memory, for where no LAPACK is
// installed. One thread; std::bad_alloc aside nothing is thrown. Results are LAPACK's info: 0, -1 for a
// matrix with an element that is not finite (results are NaN then), more than 0 where an iteration did not
// converge.
#pragma once

#include "kernels/linalg/host/dense.hpp"

namespace prism::linalg::host {

/// A V = V diag(w) for the lower triangle of a Hermitian A, w ascending. A is overwritten, with V where
/// `wants_vectors`. Householder's reduction to a tridiagonal matrix (Golub & Van Loan 2013, 8.3) and implicit
/// QL steps with Wilkinson's shift (Dubrulle, Martin & Wilkinson 1968; EISPACK's imtql2).
template <typename E>
std::int64_t hermitian_eigen(const dense<E>& a, real_of_number<E>* w, bool wants_vectors);

/// A = Z T Z^H with T upper triangular, of complex numbers: A becomes T. Householder's reduction to
/// Hessenberg form, single-shift QR steps by Givens' rotations (Francis 1961; Golub & Van Loan 2013, 7.5).
/// Without `wants_vectors` Z is not touched, and only T's diagonal counts. The result is the number of
/// eigenvalues that are not found.
template <typename R>
std::int64_t schur(const dense<pair<R>>& a, const dense<pair<R>>& z, bool wants_vectors);

/// The Schur form Z^T H Z of a real Hessenberg matrix H, with rows in pairs where eigenvalues are complex: H
/// becomes it, Z is multiplied from the right. w: the eigenvalues, pairs exact, the positive imaginary part
/// first. The rest is as for `schur`. QR steps with two shifts (Francis 1961; Golub & Van Loan 2013, 7.5.6;
/// Ahues & Tisseur 1997).
template <typename R>
std::int64_t real_schur(const dense<R>& h, const dense<R>& z, bool wants_vectors, pair<R>* w);

template <typename E>
using complex_number = pair<real_of_number<E>>;
/// A V = V diag(w) and U^H A = diag(w) U^H for any square A, which is overwritten: V is `right`, U `left`,
/// where they have columns; columns have norm 1, the largest element is real. Of a real A eigenvalues and
/// vectors are pairs exactly. Balanced by powers of 2 (Parlett & Reinsch 1969; James, Langou & Lowery 2014),
/// by the Schur form.
template <typename E>
std::int64_t eigen(const dense<E>& a, complex_number<E>* w, const dense<complex_number<E>>& left,
                   const dense<complex_number<E>>& right);

/// A = U diag(s) W with s descending and W the adjoint of the right vectors. U has min(m, n) or m columns, W
/// min(m, n) or n rows; A is overwritten. Up to 64 columns or rows: QR with column exchanges, then one-sided
/// Jacobi rotations (Hestenes 1958; Drmac & Veselic 2008, LAPACK working notes 169 and 170), which find small
/// singular values to high relative accuracy. Larger matrices become bidiagonal.
template <typename E>
std::int64_t singular_values(const dense<E>& a, real_of_number<E>* s, const dense<E>& u, const dense<E>& w,
                             bool wants_vectors);

/// A = left diag(s) right^H with s descending, for at least as many rows as columns; A is overwritten. `left`
/// has as many columns as A or as A's rows; both have none where no vectors are wanted. They begin as zeros.
template <typename E>
std::int64_t bidiagonal_singular_values(const dense<E>& a, real_of_number<E>* s, const dense<E>& left,
                                        const dense<E>& right);

/// A = exp(A), scaling and squaring of Pade approximants (Higham 2005).
template <typename E>
std::int64_t exponential(const dense<E>& a);

/// A = the principal square root of A, by the Schur form (Bjorck & Hammarling 1983). More than 0: the number,
/// from 1, of an eigenvalue for which there is none; then A is NaN. `is_real`: A is real and its root must
/// be.
template <typename R>
std::int64_t square_root(const dense<pair<R>>& a, bool is_real);

} // namespace prism::linalg::host
