// Factorisations in the host's memory: panels of the blocked algorithms, and whole matrices where no
// LAPACK is installed. One thread; std::bad_alloc aside nothing is thrown.
#pragma once

#include "kernels/linalg/host/dense.hpp"

namespace prism::linalg::host {

/// A = P L U. Step j exchanged rows j and pivots[j]. The result is LAPACK's info: 0, or the number, from 1,
/// of the first zero on U's diagonal. Recursive, partial pivoting (Toledo 1997; Gustavson 1997).
template <typename E>
std::int64_t lu(const dense<E>& a, std::int64_t* pivots);

/// A = L L^H in the lower triangle; the upper one is overwritten. The result is 0, or the order, from 1, of
/// the first leading minor that is not positive definite. Recursive (Gustavson 1997).
template <typename E>
std::int64_t cholesky(const dense<E>& a);

/// B = inv(A) B for a triangle of A.
template <typename E>
void solve_lower(const dense<E>& a, bool unit, const dense<E>& b);
template <typename E>
void solve_upper(const dense<E>& a, const dense<E>& b);
/// `to` = the inverse of a lower triangle, with zeros above.
template <typename E>
void invert_lower(const dense<E>& a, bool unit, const dense<E>& to);

/// The reflector H = I - tau v v^H, v = (1, x), with H^H (alpha, x) = (beta, 0), beta real: x becomes v's
/// tail, alpha beta. Golub & Van Loan 2013, 5.1; LAPACK's larfg.
template <typename E>
E reflector(count n, E& alpha, E* x);
/// A = H^H A for v = (1, tail).
template <typename E>
void reflect(const dense<E>& a, E tau, const E* tail);
/// A = Q R, unblocked.
template <typename E>
void qr(const dense<E>& a, E* tau);
/// A P = Q R, the largest remaining column first; column j of A P is column order[j] of A. Businger & Golub
/// 1965, norms updated as Drmac & Bujanovic 2008 (LAPACK working note 176).
template <typename E>
void qr_pivoted(const dense<E>& a, std::int64_t* order, E* tau);
/// B = Q B for the reflectors of a QR factorisation of `a`.
template <typename E>
void multiply_q(const dense<E>& a, const E* tau, const dense<E>& b);
/// The triangle T of Q = I - V T V^H, and V as a whole matrix. Schreiber & Van Loan 1989.
template <typename E>
void block_reflector(const dense<E>& a, const E* tau, const dense<E>& v, const dense<E>& t);

/// A's columns, which hold reflectors as a QR factorisation has them, become the first columns of Q, block by
/// block from the last one (LAPACK's ungqr).
template <typename E>
void form_q(const dense<E>& a, const E* tau);

/// 0 where all elements are finite, else -1: what decompositions by iteration report.
template <typename E>
std::int64_t refusal_of(const dense<E>& a);

} // namespace prism::linalg::host
