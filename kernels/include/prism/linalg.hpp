// Dense linear algebra on every device: factorisations, linear systems, least squares, eigenvalues, singular
// values, functions of matrices. The LAPACK of a provider where one serves the device (<prism/provider.h>),
// else the library's own. Link prism::operations.
//
//   sycl::queue queue;
//   double *a = ..., *b = ...; std::int64_t* info = ...;         // USM, or buffers with the same views
//   prism::linalg::solve(queue, row_major(a, n, n), row_major(b, n, k), prism::vector_view(info, 1)).wait();
//   if (*info != 0) ...                                           // A is singular
//
// Operands are views as in <prism/blas.hpp>, all of one kind of memory in a call: any strides, so rows and
// columns may be contiguous alike. The element type is that of the operand that is written: float, double,
// std::complex of both; results that are real by nature (norms, eigenvalues of Hermitian matrices, singular
// values) have its real type, those of `eig` its complex type. `index` results are std::int64_t.
//
// `info` is one element, LAPACK's: 0 for success; more than 0 is a result, too: singular, not positive
// definite, not converged. A negative one: the matrix has an element that is not finite where that has no
// result (eigh, eig, svd, exp, sqrt); other results of the call are NaN then. What else a call writes when
// info is not 0 is said there, and otherwise not defined. LU, QR and solutions pass NaN and infinity on.
//
// Every function submits commands and returns at once with the event of the last one; order, threads,
// memory and errors are those of <prism/blas.hpp>: errc::invalid for extents that disagree, with the numbers,
// and for a written operand that begins where another one does; errc::feature_not_supported where the device
// lacks double. Operands of extent 0 are allowed: info is 0 then, the determinant 1, a norm 0. Panels and
// iterations are tasks of the host, which no call waits for; devices other than the host copy them.
//
// Which provider computes: `blas::explain`, `blas::pin` and PRISM_PROVIDER with the names getrf, potrf,
// geqrf, geqp3, heev, geev and gesvd; "prism" is the library's own code alone. Complexity: n^3
// multiplications times 1/3 for LU, 1/6 for Cholesky, 2/3 for QR, about 5 for eigh, 13 for eig and 11 for svd
// with vectors. Errors are those of LAPACK's algorithms: residuals of a small multiple of n u |A|, with the
// unit roundoff u (docs/operations-linalg.md). Sources: Anderson et al. 1999 (LAPACK Users' Guide), Golub &
// Van Loan 2013, Higham 2008.
#pragma once

#include <prism/linalg/request.hpp>

namespace prism::linalg {

using blas::conjugated;
using blas::events;
using blas::real;
using blas::side;
using blas::uplo;
template <typename T>
using complex = std::complex<real<std::remove_const_t<T>>>;

/// Parameters: operands that are read, and results of other types in the same kind of memory.
template <typename T, typename Place>
using matrix_in = blas::matrix_in<T, Place>;
template <typename T, typename Place>
using vector_in = blas::vector_in<T, Place>;
template <typename Place>
using index_vector = vector_view<std::int64_t, typename detail::rebound<Place, std::int64_t>::type>;
template <typename Place>
using index_vector_in = blas::detail::input<
    vector_view<const std::int64_t, typename detail::rebound<Place, const std::int64_t>::type>>;
template <typename T, typename Place>
using batch_in = blas::batch_in<T, Place>;
template <typename Place>
using index_matrix = matrix_view<std::int64_t, typename detail::rebound<Place, std::int64_t>::type>;
template <typename U, typename Place>
using vector_like = vector_view<U, typename detail::rebound<Place, U>::type>;
template <typename U, typename Place>
using matrix_like = matrix_view<U, typename detail::rebound<Place, U>::type>;

/// inv(A), inv(A^T) or inv(A^H).
enum class op : std::int32_t { plain, transposed, adjoint };
/// The largest sum of absolute values of a column, of a row; the root of the sum of squares; the largest
/// absolute value. A NaN among the elements is the norm.
enum class norm_of : std::int32_t { one, infinity, frobenius, largest };

// ---- matrices as they are

/// B = A^T, with A of m x n and B of n x m; of `conjugated(a)` the adjoint.
template <typename T, typename Place>
sycl::event transpose(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_view<T, Place>& b,
                      const events& depends = {}) {
  detail::request r(detail::task::transpose);
  r.add("a", a), r.add("b", b);
  return detail::run(queue, r, depends);
}
/// In place: of m x n, the memory holds the n x m transpose afterwards, in the same order (rows stay
/// contiguous, or columns). A matrix that is not square must be contiguous as a whole (errc::invalid); it
/// passes through temporary memory of its size.
template <typename T, typename Place>
sycl::event transpose(sycl::queue& queue, const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(detail::task::transpose_in_place);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// `to`, one element, = the norm of A. The Frobenius norm neither overflows nor underflows needlessly.
template <typename T, typename Place, typename To>
sycl::event norm(sycl::queue& queue, norm_of kind, const matrix_view<T, Place>& a,
                 const vector_view<real<std::remove_const_t<T>>, To>& to, const events& depends = {}) {
  detail::request r(detail::task::norm);
  r.option = static_cast<std::int32_t>(kind);
  r.add("a", a), r.add("norm", to);
  return detail::run(queue, r, depends);
}

// ---- factorisations

/// A = P L U in place for A of m x n, k = min(m, n): L below the diagonal, which is 1, U above and on it.
/// Step j exchanged rows j and pivots[j] (from 0); pivots has k elements. info: the number, from 1, of the
/// first zero on U's diagonal; the factorisation is complete even so.
template <typename T, typename Place>
sycl::event lu(sycl::queue& queue, const matrix_view<T, Place>& a, const index_vector<Place>& pivots,
               const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::lu);
  r.add("a", a), r.add("pivots", pivots), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// B = inv(A) B, inv(A^T) B or inv(A^H) B by the factors of `lu`, A of n x n and B of n x k.
template <typename T, typename Place>
sycl::event lu_solve(sycl::queue& queue, op form, const matrix_in<T, Place>& a,
                     const index_vector_in<Place>& pivots, const matrix_view<T, Place>& b,
                     const events& depends = {}) {
  detail::request r(detail::task::lu_solve);
  r.option = static_cast<std::int32_t>(form);
  r.add("a", a), r.add("pivots", pivots), r.add("b", b);
  return detail::run(queue, r, depends);
}
/// A = L L^H (lower) or U^H U (upper) in place for a Hermitian positive definite A, of which the triangle is
/// read and written; of the diagonal the real part. info: the order, from 1, of the first leading minor that
/// is not positive definite (or has a NaN): the triangle is not a factor then.
template <typename T, typename Place>
sycl::event cholesky(sycl::queue& queue, uplo triangle, const matrix_view<T, Place>& a,
                     const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::cholesky);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// B = inv(A) B by the factor of `cholesky`.
template <typename T, typename Place>
sycl::event cholesky_solve(sycl::queue& queue, uplo triangle, const matrix_in<T, Place>& a,
                           const matrix_view<T, Place>& b, const events& depends = {}) {
  detail::request r(detail::task::cholesky_solve);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add("b", b);
  return detail::run(queue, r, depends);
}
/// A = Q R in place for A of m x n: R on and above the diagonal, below it the tails of k = min(m, n)
/// reflectors I - tau v v^H, whose product is Q (as LAPACK's geqrf stores them); tau has k elements.
template <typename T, typename Place>
sycl::event qr(sycl::queue& queue, const matrix_view<T, Place>& a, const vector_view<T, Place>& tau,
               const events& depends = {}) {
  detail::request r(detail::task::qr);
  r.add("a", a), r.add("tau", tau);
  return detail::run(queue, r, depends);
}
/// A P = Q R, R's diagonal not increasing: column j of A P is column order[j] of A (from 0, n elements).
template <typename T, typename Place>
sycl::event qr_pivoted(sycl::queue& queue, const matrix_view<T, Place>& a, const index_vector<Place>& order,
                       const vector_view<T, Place>& tau, const events& depends = {}) {
  detail::request r(detail::task::qr_pivoted);
  r.add("a", a), r.add("order", order), r.add("tau", tau);
  return detail::run(queue, r, depends);
}
/// C = Q C (left; C of m x any) or C Q (right; C of any x m), or with Q^H, by the reflectors of `qr`.
template <typename T, typename Place>
sycl::event multiply_q(sycl::queue& queue, side q_side, bool adjoint, const matrix_in<T, Place>& a,
                       const vector_in<T, Place>& tau, const matrix_view<T, Place>& c,
                       const events& depends = {}) {
  detail::request r(detail::task::multiply_q);
  r.right = q_side == side::right, r.adjoint = adjoint;
  r.add("a", a), r.add("tau", tau), r.add("c", c);
  return detail::run(queue, r, depends);
}
/// `q`, of m x p with p <= m, = the first p columns of Q.
template <typename T, typename Place>
sycl::event form_q(sycl::queue& queue, const matrix_in<T, Place>& a, const vector_in<T, Place>& tau,
                   const matrix_view<T, Place>& q, const events& depends = {}) {
  detail::request r(detail::task::form_q);
  r.add("a", a), r.add("tau", tau), r.add("q", q);
  return detail::run(queue, r, depends);
}

// ---- systems; A is only read

/// B = inv(A) B by LU. info as for `lu`; more than 0: A is singular, and B is no solution.
template <typename T, typename Place>
sycl::event solve(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_view<T, Place>& b,
                  const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::solve);
  r.add("a", a), r.add("b", b), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// The same for a Hermitian positive definite A by Cholesky. info as for `cholesky`; more than 0: B is no
/// solution.
template <typename T, typename Place>
sycl::event solve_positive(sycl::queue& queue, uplo triangle, const matrix_in<T, Place>& a,
                           const matrix_view<T, Place>& b, const index_vector<Place>& info,
                           const events& depends = {}) {
  detail::request r(detail::task::solve_positive);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add("b", b), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// X, of n x k, makes |B - A X| least, column by column, for A of m x n of full rank and B of m x k; where m
/// < n the smallest such X. By QR of A or of A^H (xGELS). info: the number, from 1, of a zero on R's
/// diagonal: A is not of full rank, and X is no solution.
template <typename T, typename Place>
sycl::event least_squares(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_in<T, Place>& b,
                          const matrix_view<T, Place>& x, const index_vector<Place>& info,
                          const events& depends = {}) {
  detail::request r(detail::task::least_squares);
  r.add("a", a), r.add("b", b), r.add("x", x), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// The same for A of any rank, the smallest X: by singular values, of which those of at most `tolerance`
/// times the largest count as 0. `rank`: how many do not. info as for `svd`.
template <typename T, typename Place>
sycl::event least_squares(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_in<T, Place>& b,
                          const matrix_view<T, Place>& x, double tolerance, const index_vector<Place>& rank,
                          const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::least_squares_by_svd);
  r.tolerance = tolerance;
  r.add("a", a), r.add("b", b), r.add("x", x), r.add("rank", rank), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// `to` = inv(A) by LU. info as for `solve`.
template <typename T, typename Place>
sycl::event inverse(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_view<T, Place>& to,
                    const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::inverse);
  r.add("a", a), r.add("to", to), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// `to`, one element, = the determinant by LU; it overflows only where the determinant does.
template <typename T, typename Place>
sycl::event determinant(sycl::queue& queue, const matrix_in<T, Place>& a, const vector_view<T, Place>& to,
                        const events& depends = {}) {
  detail::request r(detail::task::determinant);
  r.add("a", a), r.add("to", to);
  return detail::run(queue, r, depends);
}
/// The determinant as sign * exp(log): a sign of absolute value 1, and the natural logarithm of the absolute
/// value; 0 and minus infinity of a singular matrix.
template <typename T, typename Place>
sycl::event log_determinant(sycl::queue& queue, const matrix_in<T, Place>& a,
                            const vector_view<T, Place>& sign, const vector_like<real<T>, Place>& log,
                            const events& depends = {}) {
  detail::request r(detail::task::log_determinant);
  r.add("a", a), r.add("sign", sign), r.add("log", log);
  return detail::run(queue, r, depends);
}

// ---- functions of a square matrix; A is only read

/// `to` = exp(A): scaling and squaring (Higham 2005).
template <typename T, typename Place>
sycl::event exp(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_view<T, Place>& to,
                const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::exp);
  r.add("a", a), r.add("to", to), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// `to` = the principal square root of A (Bjorck & Hammarling 1983). info, more than 0: there is none, `to`
/// is NaN: A is singular in a way that has no root, or is real and has a negative eigenvalue, of that number.
template <typename T, typename Place>
sycl::event sqrt(sycl::queue& queue, const matrix_in<T, Place>& a, const matrix_view<T, Place>& to,
                 const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::sqrt);
  r.add("a", a), r.add("to", to), r.add("info", info);
  return detail::run(queue, r, depends);
}

// ---- eigenvalues and singular values; A is only read. Vectors are computed where their view has elements.

/// A V = V diag(w) for a Hermitian A of n x n: w ascending, V unitary. info > 0: so many did not converge.
template <typename T, typename Place>
sycl::event eigh(sycl::queue& queue, uplo triangle, const matrix_in<T, Place>& a,
                 const vector_like<real<T>, Place>& w, const matrix_view<T, Place>& v,
                 const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::eigh);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add("w", w), r.add("v", v), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// A V = B V diag(w) for a Hermitian A and a Hermitian positive definite B: w ascending, V^H B V = I. info:
/// as for `eigh`, or n + i where the leading minor of B of order i is not positive definite.
template <typename T, typename Place>
sycl::event eigh(sycl::queue& queue, uplo triangle, const matrix_in<T, Place>& a,
                 const matrix_in<T, Place>& b, const vector_like<real<T>, Place>& w,
                 const matrix_view<T, Place>& v, const index_vector<Place>& info,
                 const events& depends = {}) {
  detail::request r(detail::task::eigh_generalised);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add("b", b), r.add("w", w), r.add("v", v), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// A V = V diag(w) for any A of n x n: columns of V have norm 1. Of a real A complex eigenvalues are pairs of
/// conjugates, the positive imaginary part first, and so are their vectors. info > 0: the eigenvalues from
/// that number on, from 0, are right, and V is not defined.
template <typename T, typename Place, typename W, typename V>
sycl::event eig(sycl::queue& queue, const matrix_view<T, Place>& a, const vector_view<complex<T>, W>& w,
                const matrix_view<complex<T>, V>& v, const index_vector<W>& info,
                const events& depends = {}) {
  detail::request r(detail::task::eig);
  r.add("a", a), r.add("w", w), r.add("v", v), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// The same with left vectors: U^H A = diag(w) U^H, columns of U have norm 1. Always by the library's own
/// code.
template <typename T, typename Place, typename W, typename V>
sycl::event eig(sycl::queue& queue, const matrix_view<T, Place>& a, const vector_view<complex<T>, W>& w,
                const matrix_view<complex<T>, V>& u, const matrix_view<complex<T>, V>& v,
                const index_vector<W>& info, const events& depends = {}) {
  detail::request r(detail::task::eig_of_both_sides);
  r.add("a", a), r.add("w", w), r.add("u", u), r.add("v", v), r.add("info", info);
  return detail::run(queue, r, depends);
}
/// A = U diag(s) W for A of m x n, k = min(m, n): s descending, U of m x k with W of k x n, or U of m x m
/// with W of n x n (W is V^H). info > 0: it did not converge.
template <typename T, typename Place>
sycl::event svd(sycl::queue& queue, const matrix_in<T, Place>& a, const vector_like<real<T>, Place>& s,
                const matrix_view<T, Place>& u, const matrix_view<T, Place>& w,
                const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::svd);
  r.add("a", a), r.add("s", s), r.add("u", u), r.add("w", w), r.add("info", info);
  return detail::run(queue, r, depends);
}

// ---- batches: the same for as many matrices of one shape as the views count. A vector of each matrix is a
// row of a matrix view, a number of each an element of a vector view, as info is. Matrices of up to 32 rows
// and columns are done by one work-item each, all in one kernel, eigenvalues and singular values by Jacobi's
// methods; larger ones one after the other. Counts that disagree are errc::invalid.

template <typename T, typename Place>
sycl::event lu(sycl::queue& queue, const batch_view<T, Place>& a, const index_matrix<Place>& pivots,
               const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::lu);
  r.add("a", a), r.add_each("pivots", pivots), r.add_each("info", info);
  return detail::run(queue, r, depends);
}
template <typename T, typename Place>
sycl::event cholesky(sycl::queue& queue, uplo triangle, const batch_view<T, Place>& a,
                     const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::cholesky);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add_each("info", info);
  return detail::run(queue, r, depends);
}
template <typename T, typename Place>
sycl::event qr(sycl::queue& queue, const batch_view<T, Place>& a, const matrix_view<T, Place>& tau,
               const events& depends = {}) {
  detail::request r(detail::task::qr);
  r.add("a", a), r.add_each("tau", tau);
  return detail::run(queue, r, depends);
}
/// A_i may be one matrix for all (a batch stride of 0).
template <typename T, typename Place>
sycl::event solve(sycl::queue& queue, const batch_in<T, Place>& a, const batch_view<T, Place>& b,
                  const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::solve);
  r.add("a", a), r.add("b", b), r.add_each("info", info);
  return detail::run(queue, r, depends);
}
template <typename T, typename Place>
sycl::event inverse(sycl::queue& queue, const batch_in<T, Place>& a, const batch_view<T, Place>& to,
                    const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::inverse);
  r.add("a", a), r.add("to", to), r.add_each("info", info);
  return detail::run(queue, r, depends);
}
/// `to`: one element for each matrix.
template <typename T, typename Place>
sycl::event determinant(sycl::queue& queue, const batch_in<T, Place>& a, const vector_view<T, Place>& to,
                        const events& depends = {}) {
  detail::request r(detail::task::determinant);
  r.add("a", a), r.add_each("to", to);
  return detail::run(queue, r, depends);
}
template <typename T, typename Place>
sycl::event eigh(sycl::queue& queue, uplo triangle, const batch_in<T, Place>& a,
                 const matrix_like<real<T>, Place>& w, const batch_view<T, Place>& v,
                 const index_vector<Place>& info, const events& depends = {}) {
  detail::request r(detail::task::eigh);
  r.lower = triangle == uplo::lower;
  r.add("a", a), r.add_each("w", w), r.add("v", v), r.add_each("info", info);
  return detail::run(queue, r, depends);
}
/// U of m x k and W of k x n, or both without elements.
template <typename T, typename Place>
sycl::event svd(sycl::queue& queue, const batch_in<T, Place>& a, const matrix_like<real<T>, Place>& s,
                const batch_view<T, Place>& u, const batch_view<T, Place>& w, const index_vector<Place>& info,
                const events& depends = {}) {
  detail::request r(detail::task::svd);
  r.add("a", a), r.add_each("s", s), r.add("u", u), r.add("w", w), r.add_each("info", info);
  return detail::run(queue, r, depends);
}

} // namespace prism::linalg
