// Linear algebra, BLAS levels 1 to 3, on every device: by the library's own kernels, or by a provider's if
// that is faster (<prism/provider.h>). Link prism::operations.
//
//   sycl::queue queue;
//   float *a = ..., *b = ..., *c = ...;              // USM, or sycl::buffer<float> with the same views
//   prism::blas::gemm(queue, 1, row_major(a, m, k), row_major(b, k, n), 0, row_major(c, m, n)).wait();
//
// Operands are views (<prism/views.hpp>) over USM pointers or over buffers, all of one kind in a call. The
// element type is that of the operand that is written: float, double, std::complex of both; for gemm also
// half, bfloat16 and int8 (see there). Scalars convert to it. An operand that is only read may be
// `conjugated(view)`; `conjugated(view.transposed())` is the adjoint. There are no transposition flags and no
// leading dimensions: strides express both.
//
// Every function submits commands and returns at once with the event of the last one. They start after
// `depends`, and after commands that the queue or the buffers order before them. Queues in order and out of
// order give the same results. Functions may be called from any thread, also on one queue. Temporary memory
// is allocated on the device and freed when the commands are complete.
//
// Operands that are written must not overlap others, except x and y of level 1 if they are the same elements.
// The call is refused if the first elements of a written and another matrix coincide; other overlaps are not
// detected. Elements of a written operand must not overlap each other (a stride of 0 is refused).
// Banded and packed matrices are in <prism/blas/banded_packed.hpp>, which this header includes.
//
// With beta = 0 the written operand is not read, so it may hold NaN. With alpha = 0 the operands of the
// product are not read. An operation without elements only waits for the commands before it; a product of
// matrices with k = 0 is beta C. Only the triangle `uplo` of triangular, symmetric and Hermitian matrices is
// read or written. Of the diagonal of Hermitian matrices only the real part is read; a unit diagonal is not
// read.
//
// The call throws these errors: errc::invalid if extents disagree (with the numbers), for an invalid view,
// and for an invalid setting in PRISM_PROVIDER; errc::feature_not_supported if the device lacks the type.
// Errors that occur while a command runs are asynchronous errors of the queue.
//
// Complexity: m n k multiplications for gemm, half of that for triangular operands, one for each element in
// levels 1 and 2. Error of an element of a product: at most (k + 2) u (|alpha| |A| |B|) + 2 u |beta C| with
// the unit roundoff u, four times that for complex numbers. Source of the operations: Lawson et al. 1979,
// Dongarra et al. 1988 and 1990 (BLAS levels 1, 2 and 3); the argument order is oneMath's where there is one.
#pragma once

#include <prism/blas/request.hpp>

#include <string>

namespace prism::blas {

enum class uplo : std::int32_t { upper = PRISM_UPLO_UPPER, lower = PRISM_UPLO_LOWER };
enum class side : std::int32_t { left = PRISM_SIDE_LEFT, right = PRISM_SIDE_RIGHT };
enum class diag : std::int32_t { non_unit = PRISM_DIAG_NON_UNIT, unit = PRISM_DIAG_UNIT };

/// The complex conjugates of the elements of `view`.
template <typename T, typename Place>
constexpr conjugated_view<vector_view<T, Place>> conjugated(const vector_view<T, Place>& view) {
  return {view};
}
template <typename T, typename Place>
constexpr conjugated_view<matrix_view<T, Place>> conjugated(const matrix_view<T, Place>& view) {
  return {view};
}
template <typename T, typename Place>
constexpr conjugated_view<batch_view<T, Place>> conjugated(const batch_view<T, Place>& view) {
  return {view};
}

/// Parameter types. `scalar<T>` is T, `real<T>` the type of its real and imaginary part; the others are
/// operands that are read.
template <typename T>
using scalar = typename detail::as_is<T>::type;
template <typename T>
using real = typename detail::type_of<T>::real;
template <typename T, typename Place>
using vector_in = typename detail::inputs<T, Place>::vector;
template <typename T, typename Place>
using matrix_in = typename detail::inputs<T, Place>::matrix;
template <typename T, typename Place>
using batch_in = typename detail::inputs<T, Place>::batch;
using events = std::vector<sycl::event>;

/// The choice for a call of this operation on the device: the implementations, the best first, with the
/// predicted time, and the reasons why others are not used. `operation`: "gemm", "dot", ...; `n`: rows and
/// columns of column-major operands, or elements of vectors. Throws errc::invalid for an unknown operation or
/// type name ("float", "double", "complex float", "complex double"; for gemm also "half", "bfloat16" and
/// "int8", with a result of that type, of int8 of int32).
std::string explain(const sycl::device& device, const std::string& operation, const std::string& type,
                    std::size_t n);
/// The implementation that the calling thread's last call used: "gemm float 64x64, 64x64, 64x64: openblas".
/// Empty before the first call.
std::string last_choice();
/// From now on this provider ("prism": the library's own kernels) does `operation` in this process. That has
/// the effect of PRISM_PROVIDER=operation=provider, and takes precedence over it. An empty provider ends it.
/// Throws errc::invalid for an unknown operation. A call that the provider cannot do throws
/// kernel_not_supported.
void pin(const std::string& operation, const std::string& provider);

/// The providers of operations in this process: those that were found, and last the library's own kernels,
/// "prism". `natives` has the bit 1u << PRISM_NATIVE_* for each kind of device.
struct implementation {
  std::string name, library, version; // the last two are those of the provider's library
  std::uint32_t natives = 0;
};
std::vector<implementation> implementations();
/// While it lives, this provider does every operation that the constructing thread calls, as if it were
/// pinned for each. The innermost one counts. It takes precedence over pin() and PRISM_PROVIDER.
class scoped_provider {
public:
  explicit scoped_provider(std::string name);
  ~scoped_provider();
  scoped_provider(const scoped_provider&) = delete;

private:
  std::string m_before;
};

// ---- level 3: matrices

/// C = alpha A B + beta C, with A of m x k, B of k x n and C of m x n.
template <typename T, typename Place, detail::if_wide<T> = 0>
sycl::event gemm(sycl::queue& queue, scalar<T> alpha, const matrix_in<T, Place>& a,
                 const matrix_in<T, Place>& b, scalar<T> beta, const matrix_view<T, Place>& c,
                 const events& depends = {}) {
  return detail::run(queue, detail::product_request(alpha, a, b, beta, c), depends);
}
/// A strided batch: C_i = alpha A_i B_i + beta C_i for the number of matrices in the views. A batch stride of
/// 0 shares one matrix that is only read.
template <typename T, typename Place, detail::if_wide<T> = 0>
sycl::event gemm(sycl::queue& queue, scalar<T> alpha, const batch_in<T, Place>& a,
                 const batch_in<T, Place>& b, scalar<T> beta, const batch_view<T, Place>& c,
                 const events& depends = {}) {
  return detail::run(queue, detail::product_request(alpha, a, b, beta, c), depends);
}
/// The same products of narrow types: A and B both of half or both of bfloat16, C of that type or of float; A
/// and B of int8, C of std::int32_t (alpha and beta too; everything is computed modulo 2^32) or of float.
/// Sums are those of float, of int8 exact ones in int32. The result is rounded once, so an element of half or
/// bfloat16 has at most the error of a product of float and half a unit in its last place. Copies A and B,
/// and C if it is not of float, to temporary memory of four bytes for each element.
template <typename A, typename APlace, typename B, typename BPlace, typename T, typename Place,
          detail::if_narrow<A, B, T> = 0>
sycl::event gemm(sycl::queue& queue, detail::narrow_scalar<T> alpha, const matrix_view<A, APlace>& a,
                 const matrix_view<B, BPlace>& b, detail::narrow_scalar<T> beta,
                 const matrix_view<T, Place>& c, const events& depends = {}) {
  return detail::run(queue, detail::product_request(alpha, a, b, beta, c), depends);
}
template <typename A, typename APlace, typename B, typename BPlace, typename T, typename Place,
          detail::if_narrow<A, B, T> = 0>
sycl::event gemm(sycl::queue& queue, detail::narrow_scalar<T> alpha, const batch_view<A, APlace>& a,
                 const batch_view<B, BPlace>& b, detail::narrow_scalar<T> beta, const batch_view<T, Place>& c,
                 const events& depends = {}) {
  return detail::run(queue, detail::product_request(alpha, a, b, beta, c), depends);
}
/// One product of a group.
template <typename T, typename Place = T*>
struct gemm_product {
  T alpha;
  matrix_in<T, Place> a, b;
  T beta;
  matrix_view<T, Place> c;
};
/// A grouped batch: products of any shapes, which must not depend on each other. The event completes when all
/// have completed.
template <typename T, typename Place>
sycl::event gemm(sycl::queue& queue, const std::vector<gemm_product<T, Place>>& group,
                 const events& depends = {}) {
  events done;
  for (const gemm_product<T, Place>& one : group)
    done.push_back(gemm<T, Place>(queue, one.alpha, one.a, one.b, one.beta, one.c, depends));
  return queue.ext_oneapi_submit_barrier(done.empty() ? depends : done);
}
/// C = alpha A B + beta C (left) or alpha B A + beta C (right), with A symmetric.
template <typename T, typename Place>
sycl::event symm(sycl::queue& queue, side a_side, uplo triangle, scalar<T> alpha,
                 const matrix_in<T, Place>& a, const matrix_in<T, Place>& b, scalar<T> beta,
                 const matrix_view<T, Place>& c, const events& depends = {}) {
  detail::request r(PRISM_SYMM);
  r.what.side = static_cast<std::int32_t>(a_side);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  r.set(r.beta, beta);
  r.add("c", c);
  return detail::run(queue, r, depends);
}
/// The same with A Hermitian.
template <typename T, typename Place>
sycl::event hemm(sycl::queue& queue, side a_side, uplo triangle, scalar<T> alpha,
                 const matrix_in<T, Place>& a, const matrix_in<T, Place>& b, scalar<T> beta,
                 const matrix_view<T, Place>& c, const events& depends = {}) {
  detail::request r(PRISM_HEMM);
  r.what.side = static_cast<std::int32_t>(a_side);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  r.set(r.beta, beta);
  r.add("c", c);
  return detail::run(queue, r, depends);
}
/// C = alpha A A^T + beta C, with C symmetric, of n x n, and A of n x k.
template <typename T, typename Place>
sycl::event syrk(sycl::queue& queue, uplo triangle, scalar<T> alpha, const matrix_in<T, Place>& a,
                 scalar<T> beta, const matrix_view<T, Place>& c, const events& depends = {}) {
  detail::request r(PRISM_SYRK);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.set(r.beta, beta);
  r.add("c", c);
  return detail::run(queue, r, depends);
}
/// C = alpha A A^H + beta C, with C Hermitian; alpha and beta are real.
template <typename T, typename Place>
sycl::event herk(sycl::queue& queue, uplo triangle, real<T> alpha, const matrix_in<T, Place>& a, real<T> beta,
                 const matrix_view<T, Place>& c, const events& depends = {}) {
  detail::request r(PRISM_HERK);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.set(r.beta, beta);
  r.add("c", c);
  return detail::run(queue, r, depends);
}
/// C = alpha A B^T + alpha B A^T + beta C, with C symmetric, of n x n, A and B of n x k.
template <typename T, typename Place>
sycl::event syr2k(sycl::queue& queue, uplo triangle, scalar<T> alpha, const matrix_in<T, Place>& a,
                  const matrix_in<T, Place>& b, scalar<T> beta, const matrix_view<T, Place>& c,
                  const events& depends = {}) {
  detail::request r(PRISM_SYR2K);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  r.set(r.beta, beta);
  r.add("c", c);
  return detail::run(queue, r, depends);
}
/// C = alpha A B^H + conj(alpha) B A^H + beta C, with C Hermitian; beta is real.
template <typename T, typename Place>
sycl::event her2k(sycl::queue& queue, uplo triangle, scalar<T> alpha, const matrix_in<T, Place>& a,
                  const matrix_in<T, Place>& b, real<T> beta, const matrix_view<T, Place>& c,
                  const events& depends = {}) {
  detail::request r(PRISM_HER2K);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  r.set(r.beta, beta);
  r.add("c", c);
  return detail::run(queue, r, depends);
}
/// B = alpha A B (left) or alpha B A (right), with A triangular.
template <typename T, typename Place>
sycl::event trmm(sycl::queue& queue, side a_side, uplo triangle, diag diagonal, scalar<T> alpha,
                 const matrix_in<T, Place>& a, const matrix_view<T, Place>& b, const events& depends = {}) {
  detail::request r(PRISM_TRMM);
  r.what.side = static_cast<std::int32_t>(a_side);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.what.diag = static_cast<std::int32_t>(diagonal);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  return detail::run(queue, r, depends);
}
/// B = alpha inv(A) B (left) or alpha B inv(A) (right), with A triangular. A singular A gives infinities
/// and NaN, as a division by its zeros does.
template <typename T, typename Place>
sycl::event trsm(sycl::queue& queue, side a_side, uplo triangle, diag diagonal, scalar<T> alpha,
                 const matrix_in<T, Place>& a, const matrix_view<T, Place>& b, const events& depends = {}) {
  detail::request r(PRISM_TRSM);
  r.what.side = static_cast<std::int32_t>(a_side);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.what.diag = static_cast<std::int32_t>(diagonal);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  return detail::run(queue, r, depends);
}
// ---- level 2: a matrix and vectors

/// y = alpha A x + beta y, with A of m x n, x of n and y of m elements.
template <typename T, typename Place>
sycl::event gemv(sycl::queue& queue, scalar<T> alpha, const matrix_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  detail::request r(PRISM_GEMV);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("x", x);
  r.set(r.beta, beta);
  r.add("y", y);
  return detail::run(queue, r, depends);
}
/// A = alpha x y^T + A, with A of m x n, x of m and y of n elements.
template <typename T, typename Place>
sycl::event ger(sycl::queue& queue, scalar<T> alpha, const vector_in<T, Place>& x,
                const vector_in<T, Place>& y, const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_GER);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("y", y);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// The same, by its name for complex numbers.
template <typename T, typename Place>
sycl::event geru(sycl::queue& queue, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_in<T, Place>& y, const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_GER);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("y", y);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// A = alpha x y^H + A.
template <typename T, typename Place>
sycl::event gerc(sycl::queue& queue, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_in<T, Place>& y, const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_GER);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("y", y.view, !y.conjugated);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// y = alpha A x + beta y, with A symmetric.
template <typename T, typename Place>
sycl::event symv(sycl::queue& queue, uplo triangle, scalar<T> alpha, const matrix_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  detail::request r(PRISM_SYMV);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("x", x);
  r.set(r.beta, beta);
  r.add("y", y);
  return detail::run(queue, r, depends);
}
/// The same with A Hermitian.
template <typename T, typename Place>
sycl::event hemv(sycl::queue& queue, uplo triangle, scalar<T> alpha, const matrix_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  detail::request r(PRISM_HEMV);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("x", x);
  r.set(r.beta, beta);
  r.add("y", y);
  return detail::run(queue, r, depends);
}
/// A = alpha x x^T + A, with A symmetric.
template <typename T, typename Place>
sycl::event syr(sycl::queue& queue, uplo triangle, scalar<T> alpha, const vector_in<T, Place>& x,
                const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_SYR);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// A = alpha x x^H + A, with A Hermitian; alpha is real.
template <typename T, typename Place>
sycl::event her(sycl::queue& queue, uplo triangle, real<T> alpha, const vector_in<T, Place>& x,
                const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_HER);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// A = alpha x y^T + alpha y x^T + A, with A symmetric.
template <typename T, typename Place>
sycl::event syr2(sycl::queue& queue, uplo triangle, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_in<T, Place>& y, const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_SYR2);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("y", y);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// A = alpha x y^H + conj(alpha) y x^H + A, with A Hermitian.
template <typename T, typename Place>
sycl::event her2(sycl::queue& queue, uplo triangle, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_in<T, Place>& y, const matrix_view<T, Place>& a, const events& depends = {}) {
  detail::request r(PRISM_HER2);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("y", y);
  r.add("a", a);
  return detail::run(queue, r, depends);
}
/// x = A x, with A triangular.
template <typename T, typename Place>
sycl::event trmv(sycl::queue& queue, uplo triangle, diag diagonal, const matrix_in<T, Place>& a,
                 const vector_view<T, Place>& x, const events& depends = {}) {
  detail::request r(PRISM_TRMV);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.what.diag = static_cast<std::int32_t>(diagonal);
  r.add("a", a);
  r.add("x", x);
  return detail::run(queue, r, depends);
}
/// x = inv(A) x, with A triangular.
template <typename T, typename Place>
sycl::event trsv(sycl::queue& queue, uplo triangle, diag diagonal, const matrix_in<T, Place>& a,
                 const vector_view<T, Place>& x, const events& depends = {}) {
  detail::request r(PRISM_TRSV);
  r.what.uplo = static_cast<std::int32_t>(triangle);
  r.what.diag = static_cast<std::int32_t>(diagonal);
  r.add("a", a);
  r.add("x", x);
  return detail::run(queue, r, depends);
}
// ---- level 1: vectors

/// y = alpha x + y.
template <typename T, typename Place>
sycl::event axpy(sycl::queue& queue, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_view<T, Place>& y, const events& depends = {}) {
  detail::request r(PRISM_AXPY);
  r.set(r.alpha, alpha);
  r.add("x", x);
  r.add("y", y);
  return detail::run(queue, r, depends);
}
/// x = alpha x. A real alpha multiplies the real and imaginary parts of complex elements.
template <typename T, typename Place>
sycl::event scal(sycl::queue& queue, scalar<T> alpha, const vector_view<T, Place>& x,
                 const events& depends = {}) {
  detail::request r(PRISM_SCAL);
  r.set(r.alpha, alpha);
  r.add("x", x);
  return detail::run(queue, r, depends);
}
/// y = x.
template <typename T, typename Place>
sycl::event copy(sycl::queue& queue, const vector_in<T, Place>& x, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  detail::request r(PRISM_COPY);
  r.add("x", x);
  r.add("y", y);
  return detail::run(queue, r, depends);
}
/// x and y exchange their elements.
template <typename T, typename Place>
sycl::event swap(sycl::queue& queue, const vector_view<T, Place>& x, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  detail::request r(PRISM_SWAP);
  r.add("x", x);
  r.add("y", y);
  return detail::run(queue, r, depends);
}
/// (x, y) = (c x + s y, c y - s x) element by element; c and s are real.
template <typename T, typename Place>
sycl::event rot(sycl::queue& queue, const vector_view<T, Place>& x, const vector_view<T, Place>& y, real<T> c,
                real<T> s, const events& depends = {}) {
  detail::request r(PRISM_ROT);
  r.add("x", x);
  r.add("y", y);
  r.set(r.alpha, c);
  r.set(r.beta, s);
  return detail::run(queue, r, depends);
}
/// result = sum of x[i] y[i]. `result` has one element. The order of the additions depends on the size and
/// not on threads, unless a provider computes the sum.
template <typename T, typename Place>
sycl::event dot(sycl::queue& queue, const vector_in<T, Place>& x, const vector_in<T, Place>& y,
                const vector_view<T, Place>& result, const events& depends = {}) {
  detail::request r(PRISM_DOT);
  r.add("x", x);
  r.add("y", y);
  r.add("result", result);
  return detail::run(queue, r, depends);
}
/// The same, by its name for complex numbers.
template <typename T, typename Place>
sycl::event dotu(sycl::queue& queue, const vector_in<T, Place>& x, const vector_in<T, Place>& y,
                 const vector_view<T, Place>& result, const events& depends = {}) {
  detail::request r(PRISM_DOT);
  r.add("x", x);
  r.add("y", y);
  r.add("result", result);
  return detail::run(queue, r, depends);
}
/// result = sum of conj(x[i]) y[i].
template <typename T, typename Place>
sycl::event dotc(sycl::queue& queue, const vector_in<T, Place>& x, const vector_in<T, Place>& y,
                 const vector_view<T, Place>& result, const events& depends = {}) {
  detail::request r(PRISM_DOT);
  r.add("x", x.view, !x.conjugated);
  r.add("y", y);
  r.add("result", result);
  return detail::run(queue, r, depends);
}
/// result = the 2-norm of x. Intermediate results do not overflow or underflow if the norm is representable.
/// `result` has one real element. Source: Anderson 2017, "Algorithm 978: Safe Scaling in the Level 1 BLAS".
template <typename T, typename Place, typename R, typename To>
sycl::event nrm2(sycl::queue& queue, const vector_view<T, Place>& x, const vector_view<R, To>& result,
                 const events& depends = {}) {
  static_assert(std::is_same_v<R, real<std::remove_const_t<T>>>, "the result of nrm2 is real");
  detail::request r(PRISM_NRM2);
  r.add("x", x);
  r.add("result", result);
  return detail::run(queue, r, depends);
}
/// result = sum of |re x[i]| + |im x[i]|. `result` has one real element.
template <typename T, typename Place, typename R, typename To>
sycl::event asum(sycl::queue& queue, const vector_view<T, Place>& x, const vector_view<R, To>& result,
                 const events& depends = {}) {
  static_assert(std::is_same_v<R, real<std::remove_const_t<T>>>, "the result of asum is real");
  detail::request r(PRISM_ASUM);
  r.add("x", x);
  r.add("result", result);
  return detail::run(queue, r, depends);
}
/// result = the first index, from 0, of the largest |re x[i]| + |im x[i]|; -1 without elements. `result` has
/// one std::int64_t. If an element is NaN, the index is that of an unspecified element.
template <typename T, typename Place, typename To>
sycl::event iamax(sycl::queue& queue, const vector_view<T, Place>& x,
                  const vector_view<std::int64_t, To>& result, const events& depends = {}) {
  detail::request r(PRISM_IAMAX);
  r.add("x", x);
  r.add("result", result);
  return detail::run(queue, r, depends);
}
/// Givens' rotation with c a + s b = r and -conj(s) a + c b = 0, c real. a becomes r; real b becomes z, from
/// which c and s can be recovered; complex b stays unchanged. All four views have one element, that of c is
/// real. Source: Bindel, Demmel, Kahan, Marques 2002; netlib's rotg for z.
template <typename T, typename Place, typename R, typename To>
sycl::event rotg(sycl::queue& queue, const vector_view<T, Place>& a, const vector_view<T, Place>& b,
                 const vector_view<R, To>& c, const vector_view<T, Place>& s, const events& depends = {}) {
  static_assert(std::is_same_v<R, real<T>>, "the cosine of rotg is real");
  detail::request r(PRISM_ROT);
  r.add("a", a);
  r.add("b", b);
  r.add("c", c);
  r.add("s", s);
  return detail::run_rotg(queue, r, depends);
}

} // namespace prism::blas

#include <prism/blas/banded_packed.hpp> // gbmv, sbmv, hbmv, tbmv, tbsv; spmv, hpmv, spr, ..., tpsv
