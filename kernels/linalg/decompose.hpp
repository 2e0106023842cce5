// The decompositions on any device: a provider's where one is chosen for the device
// (kernels/blas/choice.hpp), else the library's own. Its LU, Cholesky and QR are blocked: panels are factored
// by a task of the host, by the LAPACK of a provider where one is installed, and the rest is products on the
// device (Dongarra, Duff, Sorensen & van der Vorst 1998, "Numerical Linear Algebra for High-Performance
// Computers", 5.4; panels on the host: Tomov, Nath, Ltaief & Dongarra 2010, MAGMA). The others run as one
// task of the host. Operands have elements, fit each other and the device; submits, never waits.
#pragma once

#include "kernels/linalg/steps.hpp"

namespace prism::linalg {

template <typename T>
using complex_of = std::complex<real_of<T>>;

/// A = P L U in place.
template <typename T>
void lu(sequence& s, const matrix<T>& a, const indices& pivots, const indices& info);
/// B = inv(A) B by the factors of `lu`; `op`: inv(A^T) or inv(A^H).
enum class operation : std::uint8_t { plain, transposed, adjoint };
template <typename T>
void solve_by_lu(sequence& s, operation op, const matrix<T>& lu, const indices& pivots, const matrix<T>& b);
/// X of A X = B into B, by LU: one command of the host device where A is small. False, with nothing done,
/// elsewhere.
template <typename T>
bool solve_here(sequence& s, const matrix<T>& a, const matrix<T>& b, const indices& info);

/// A = L L^H or U^H U in place, in one triangle.
template <typename T>
void cholesky(sequence& s, bool lower, const matrix<T>& a, const indices& info);
template <typename T>
void solve_by_cholesky(sequence& s, bool lower, const matrix<T>& a, const matrix<T>& b);

/// A = Q R, and A P = Q R, in place.
template <typename T>
void qr(sequence& s, const matrix<T>& a, const vector<T>& tau);
template <typename T>
void qr_pivoted(sequence& s, const matrix<T>& a, const indices& order, const vector<T>& tau);
/// C = Q C or Q^H C; with `right` C Q or C Q^H.
template <typename T>
void multiply_by_q(sequence& s, bool right, bool adjoints, const matrix<T>& a, const vector<T>& tau,
                   const matrix<T>& c);

/// Eigenvalues and vectors, singular values and vectors; matrices of vectors may have no elements. A is read.
template <typename T>
void hermitian_eigen(sequence& s, bool lower, const matrix<T>& a, const vector<real_of<T>>& w,
                     const matrix<T>& v, const indices& info);
template <typename T>
void general_eigen(sequence& s, const matrix<T>& a, const vector<complex_of<T>>& w,
                   const matrix<complex_of<T>>& left, const matrix<complex_of<T>>& v, const indices& info);
template <typename T>
void singular_values(sequence& s, const matrix<T>& a, const vector<real_of<T>>& values, const matrix<T>& u,
                     const matrix<T>& w, const indices& info);

/// `to` = exp(A), sqrt(A).
template <typename T>
void exponential(sequence& s, const matrix<T>& a, const matrix<T>& to, const indices& info);
template <typename T>
void square_root(sequence& s, const matrix<T>& a, const matrix<T>& to, const indices& info);

} // namespace prism::linalg
