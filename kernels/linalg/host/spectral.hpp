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

/// A V = V diag(w) for any square A, which is overwritten; columns of V have norm 1, its largest element is
/// real. Balanced by powers of 2 (Parlett & Reinsch 1969; James, Langou & Lowery 2014), by the Schur form.
template <typename R>
std::int64_t eigen(const dense<pair<R>>& a, pair<R>* w, const dense<pair<R>>& v, bool wants_vectors);

/// A = U diag(s) W with s descending and W the adjoint of the right vectors. U has min(m, n) or m columns, W
/// min(m, n) or n rows; A is overwritten. QR with column exchanges, then one-sided Jacobi rotations (Hestenes
/// 1958; Drmac & Veselic 2008, LAPACK working notes 169 and 170), which find small singular values to high
/// relative accuracy.
template <typename E>
std::int64_t singular_values(const dense<E>& a, real_of_number<E>* s, const dense<E>& u, const dense<E>& w,
                             bool wants_vectors);

/// A = exp(A), scaling and squaring of Pade approximants (Higham 2005).
template <typename E>
std::int64_t exponential(const dense<E>& a);

/// A = the principal square root of A, by the Schur form (Bjorck & Hammarling 1983). More than 0: the number,
/// from 1, of an eigenvalue for which there is none; then A is NaN. `is_real`: A is real and its root must
/// be.
template <typename R>
std::int64_t square_root(const dense<pair<R>>& a, bool is_real);

} // namespace prism::linalg::host
