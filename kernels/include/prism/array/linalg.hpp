// Linear algebra of arrays, with the names of NumPy and of the Array API standard. Use <prism/array.hpp>.
//
//   prism::any_array x = prism::linalg::solve(a, b);
//   const auto [q, r] = prism::linalg::qr(a);
//
// Matrices are the last two dimensions; the dimensions before them count matrices, and are broadcast where
// there are two operands. Elements are computed in their own type, float32, float64 or complex64, complex128;
// other elements become float64. The factorisations are those of <prism/linalg.hpp>, with its providers and
// its accuracy. A call submits commands; one that may fail by the values of a matrix waits for them.
//
// Errors: errc::invalid for shapes that do not fit; errc::runtime for a matrix that is singular, not positive
// definite or whose iteration did not converge, with its number in a stack.
#pragma once

#include <prism/array/functions.hpp>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::linalg {

struct qr_result {
  any_array q, r;
};
struct slogdet_result {
  any_array sign, logabsdet;
};
struct eig_result {
  any_array eigenvalues, eigenvectors;
};
struct svd_result {
  any_array u, s, vh;
};
struct lstsq_result {
  any_array x, residuals, rank, s;
};

/// The x of a x = b. b of one dimension is a vector, else a stack of matrices.
any_array solve(const any_array& a, const any_array& b);
/// The x of least |b - a x| for a of (m, n) and b of (m) or (m, k), the smallest of several. Singular values
/// up to `rcond` times the largest count as 0 (default: max(m, n) epsilon). `residuals` has the squares of
/// |b - a x|, column by column, where the rank is n < m, else no elements.
lstsq_result lstsq(const any_array& a, const any_array& b, std::optional<double> rcond = {});
any_array inv(const any_array& a);
/// The pseudo-inverses, (..., n, m) of (..., m, n). `rtol` as rcond of lstsq.
any_array pinv(const any_array& a, std::optional<double> rtol = {});
/// The same with a tolerance for each matrix: `rtol` broadcasts to (...).
any_array pinv(const any_array& a, const any_array& rtol);
any_array det(const any_array& a);
/// The sign of the determinant and the logarithm of its absolute value.
slogdet_result slogdet(const any_array& a);

/// The lower factor L of a = L L^H, or its adjoint.
any_array cholesky(const any_array& a, bool upper = false);
/// Q with min(m, n) columns and R with as many rows, or m of them.
qr_result qr(const any_array& a, bool complete = false);
/// Of symmetric or Hermitian matrices, whose lower triangle is read: eigenvalues in ascending order.
eig_result eigh(const any_array& a);
any_array eigvalsh(const any_array& a);
/// Of square matrices: complex numbers, in the order of LAPACK.
eig_result eig(const any_array& a);
any_array eigvals(const any_array& a);
/// a = U diag(s) Vh with s descending: U (..., m, m) and Vh (..., n, n), or with min(m, n) columns and rows.
svd_result svd(const any_array& a, bool full_matrices = true);
any_array svdvals(const any_array& a);
/// How many singular values are above rtol times the largest: int64.
any_array matrix_rank(const any_array& a, std::optional<double> rtol = {});
any_array matrix_rank(const any_array& a, const any_array& rtol); // for each matrix, as of pinv
/// The n-th power of square matrices; below 0 of their inverses.
any_array matrix_power(const any_array& a, std::int64_t n);

/// The order of a norm: a number (of matrices 1, 2, infinity or their negatives), or one of two names.
struct norm_order {
  enum class kind_type : std::uint8_t { number, frobenius, nuclear } kind = kind_type::number;
  double number = 2;
  constexpr norm_order(double n) : number(n) {}
  constexpr explicit norm_order(kind_type k) : kind(k) {}
};
inline constexpr norm_order frobenius{norm_order::kind_type::frobenius},
    nuclear{norm_order::kind_type::nuclear};

/// The norm along the axes: order 2, 1, 0 (how many are not zero), infinity, its negative, any other number.
any_array vector_norm(const any_array& a, const axes& axis = {}, bool keepdims = false, double order = 2);
any_array matrix_norm(const any_array& a, norm_order order = frobenius, bool keepdims = false);
/// NumPy's norm: without an order the 2-norm along the axes (default: all). With an order, of one axis or an
/// array of one dimension that of vectors; of two axes or an array of two dimensions that of matrices.
any_array norm(const any_array& a, std::optional<norm_order> order = {}, const axes& axis = {},
               bool keepdims = false);

/// The vector product along an axis of 3 elements.
any_array cross(const any_array& a, const any_array& b, std::int64_t axis = -1);
/// The products of each element of a with each of b, both of one dimension.
any_array outer(const any_array& a, const any_array& b);
/// The sums of products along an axis; the elements of a are conjugated.
any_array vecdot(const any_array& a, const any_array& b, std::int64_t axis = -1);
/// The sums of products over the last `count` axes of a and the first of b, or over pairs of axes.
any_array tensordot(const any_array& a, const any_array& b, int count = 2);
any_array tensordot(const any_array& a, const any_array& b, const std::vector<std::int64_t>& axes_of_a,
                    const std::vector<std::int64_t>& axes_of_b);
/// The last two dimensions exchanged; a view.
any_array matrix_transpose(const any_array& a);
/// The diagonals of matrices, `offset` places above the main one; a view. Their sums.
any_array diagonal(const any_array& a, std::int64_t offset = 0);
any_array trace(const any_array& a, std::int64_t offset = 0);
using prism::matmul;

} // namespace prism::linalg

#include <sycl/detail/user_macros_restore.hpp>
