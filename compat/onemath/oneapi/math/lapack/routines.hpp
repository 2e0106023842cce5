// The routines of <oneapi/math/lapack.hpp> on one matrix. Those that have batches are functions of steps,
// which start at an offset and end before the check of the result.
#pragma once

#include <oneapi/math/lapack/steps.hpp>

namespace oneapi::math::lapack {
namespace detail {

inline constexpr const char *singular = "the matrix is singular",
                            *not_positive = "the matrix is not positive definite",
                            *not_converged = "the iteration did not converge";

/// B = A.
template <typename S, typename From, typename To>
void copy(S& s, const From& from, const To& to) {
  s.then(la::transpose(s.queue, from.transposed(), to, s.before));
}
/// `x` = the n x n identity: Q of no reflectors.
template <typename S, typename X>
void identity(S& s, X& x, std::int64_t n) {
  s.then(la::form_q(s.queue, matrix("x", x, n, 0, n), vector("x", x, 0), matrix("x", x, n, n, n), s.before));
}
/// `out` from `at` on = the diagonal of A.
template <typename S, typename A, typename D>
void diagonal(S& s, A& a, std::int64_t from, std::int64_t n, std::int64_t lda, D& out, std::int64_t at) {
  s.then(own::copy(s.queue, blas::detail::vector("a", a, n, lda + 1, from), vector("diagonal", out, n, at),
                   s.before));
}
template <typename S, typename A>
auto diagonal_of(S& s, A& a, std::int64_t n, std::int64_t lda) {
  auto out = s.template take<element<A>>(n);
  diagonal(s, a, 0, n, lda, out, 0);
  return out;
}
inline own::uplo triangle_of(uplo stored) { return blas::detail::triangle(stored); }

template <typename S, typename A, typename P, typename I>
void lu(S& s, std::int64_t m, std::int64_t n, A& a, std::int64_t from, std::int64_t lda, P& ipiv,
        std::int64_t from_pivot, I& info, std::int64_t number) {
  auto order = s.template take<std::int64_t>(least(m, n));
  s.then(la::lu(s.queue, matrix("a", a, m, n, lda, from), vector("ipiv", order, least(m, n)),
                vector("info", info, 1, number), s.before));
  s.add(order, 0, ipiv, from_pivot, least(m, n), 1);
}
/// Pivots from 0.
template <typename S, typename P>
auto order_of(S& s, P& ipiv, std::int64_t from, std::int64_t n) {
  auto out = s.template take<std::int64_t>(n);
  s.add(ipiv, from, out, 0, n, -1);
  return out;
}
/// The rows x of the inverse solve x A = e.
template <typename S, typename A, typename P>
void inverse(S& s, std::int64_t n, A& a, std::int64_t from, std::int64_t lda, P& ipiv,
             std::int64_t from_pivot) {
  auto order = order_of(s, ipiv, from_pivot, n);
  auto x = s.template take<element<A>>(n * n);
  identity(s, x, n);
  const auto factors = matrix("a", a, n, n, lda, from), result = matrix("x", x, n, n, n);
  s.then(la::lu_solve(s.queue, la::op::transposed, factors, vector("ipiv", order, n), result.transposed(),
                      s.before));
  copy(s, result, factors);
}
inline la::op to_op(transpose trans) {
  return trans == transpose::nontrans ? la::op::plain
         : trans == transpose::trans  ? la::op::transposed
                                      : la::op::adjoint;
}
template <typename S, typename A, typename P, typename B>
void lu_solve(S& s, transpose trans, std::int64_t n, std::int64_t nrhs, A& a, std::int64_t from,
              std::int64_t lda, P& ipiv, std::int64_t from_pivot, B& b, std::int64_t from_b,
              std::int64_t ldb) {
  auto order = order_of(s, ipiv, from_pivot, n);
  s.then(la::lu_solve(s.queue, to_op(trans), matrix("a", a, n, n, lda, from), vector("ipiv", order, n),
                      matrix("b", b, n, nrhs, ldb, from_b), s.before));
}
template <typename S, typename A, typename Tau>
void form_q(S& s, std::int64_t m, std::int64_t n, std::int64_t k, A& a, std::int64_t from, std::int64_t lda,
            Tau& tau, std::int64_t from_tau) {
  auto q = s.template take<element<A>>(m * n);
  s.then(la::form_q(s.queue, matrix("a", a, m, k, lda, from), vector("tau", tau, k, from_tau),
                    matrix("q", q, m, n, m), s.before));
  copy(s, matrix("q", q, m, n, m), matrix("a", a, m, n, lda, from));
}

} // namespace detail

template <typename A, typename P, typename W>
detail::result<A> getrf(sycl::queue& queue, std::int64_t m, std::int64_t n, A&& a, std::int64_t lda, P&& ipiv,
                        W&&, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("getrf", queue, scratchpad_size, dependencies, [&](auto& s) {
    auto info = s.template take<std::int64_t>(1);
    detail::lu(s, m, n, a, 0, lda, ipiv, 0, info, 0);
    return s.finish_by_info(info, detail::singular);
  });
}
template <typename A, typename P, typename W>
detail::result<A> getri(sycl::queue& queue, std::int64_t n, A&& a, std::int64_t lda, P&& ipiv, W&&,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("getri", queue, scratchpad_size, dependencies, [&](auto& s) {
    auto diagonal = detail::diagonal_of(s, a, n, lda);
    detail::inverse(s, n, a, 0, lda, ipiv, 0);
    return s.template finish_by_diagonal<detail::element<A>>(diagonal, n);
  });
}
template <typename A, typename P, typename B, typename W>
detail::result<A> getrs(sycl::queue& queue, transpose trans, std::int64_t n, std::int64_t nrhs, A&& a,
                        std::int64_t lda, P&& ipiv, B&& b, std::int64_t ldb, W&&,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("getrs", queue, scratchpad_size, dependencies, [&](auto& s) {
    detail::lu_solve(s, trans, n, nrhs, a, 0, lda, ipiv, 0, b, 0, ldb);
    return s.finish();
  });
}

template <typename A, typename W>
detail::result<A> potrf(sycl::queue& queue, uplo upper_lower, std::int64_t n, A&& a, std::int64_t lda, W&&,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("potrf", queue, scratchpad_size, dependencies, [&](auto& s) {
    auto info = s.template take<std::int64_t>(1);
    s.then(detail::la::cholesky(s.queue, detail::triangle_of(upper_lower), detail::matrix("a", a, n, n, lda),
                                detail::vector("info", info, 1), s.before));
    return s.finish_by_info(info, detail::not_positive);
  });
}
template <typename A, typename B, typename W>
detail::result<A> potrs(sycl::queue& queue, uplo upper_lower, std::int64_t n, std::int64_t nrhs, A&& a,
                        std::int64_t lda, B&& b, std::int64_t ldb, W&&, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("potrs", queue, scratchpad_size, dependencies, [&](auto& s) {
    s.then(detail::la::cholesky_solve(s.queue, detail::triangle_of(upper_lower),
                                      detail::matrix("a", a, n, n, lda), detail::matrix("b", b, n, nrhs, ldb),
                                      s.before));
    return s.finish();
  });
}
/// The inverse of the factor, whose product with its adjoint is written to the triangle.
template <typename A, typename W>
detail::result<A> potri(sycl::queue& queue, uplo upper_lower, std::int64_t n, A&& a, std::int64_t lda, W&&,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("potri", queue, scratchpad_size, dependencies, [&](auto& s) {
    using T = detail::element<A>;
    const auto triangle = detail::triangle_of(upper_lower);
    const auto factor = detail::matrix("a", a, n, n, lda);
    auto diagonal = detail::diagonal_of(s, a, n, lda);
    auto x = s.template take<T>(n * n);
    detail::identity(s, x, n);
    const auto inverse = detail::matrix("x", x, n, n, n);
    s.then(detail::own::trsm(s.queue, detail::own::side::left, triangle, detail::own::diag::non_unit, T(1),
                             factor, inverse, s.before));
    const transpose op = upper_lower == uplo::upper ? transpose::nontrans : transpose::conjtrans;
    const auto of_product = blas::detail::operand<false>("x", op, x, n, n, n);
    if constexpr (detail::are_real<A>)
      s.then(detail::own::syrk(s.queue, triangle, T(1), of_product, T(0), factor, s.before));
    else s.then(detail::own::herk(s.queue, triangle, 1, of_product, 0, factor, s.before));
    return s.template finish_by_diagonal<T>(diagonal, n);
  });
}
template <typename A, typename B, typename W>
detail::result<A> trtrs(sycl::queue& queue, uplo upper_lower, transpose trans, diag unit_diag, std::int64_t n,
                        std::int64_t nrhs, A&& a, std::int64_t lda, B&& b, std::int64_t ldb, W&&,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("trtrs", queue, scratchpad_size, dependencies, [&](auto& s) {
    using T = detail::element<A>;
    const bool is_unit = unit_diag == diag::unit;
    auto diagonal = detail::diagonal_of(s, a, is_unit ? 0 : n, lda);
    s.then(detail::own::trsm(s.queue, detail::own::side::left, blas::detail::triangle(upper_lower, trans),
                             blas::detail::to_diag(unit_diag), T(1),
                             blas::detail::operand<false>("a", trans, a, n, n, lda),
                             detail::matrix("b", b, n, nrhs, ldb), s.before));
    return s.template finish_by_diagonal<T>(diagonal, is_unit ? 0 : n);
  });
}

template <typename A, typename Tau, typename W>
detail::result<A> geqrf(sycl::queue& queue, std::int64_t m, std::int64_t n, A&& a, std::int64_t lda,
                        Tau&& tau, W&&, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("geqrf", queue, scratchpad_size, dependencies, [&](auto& s) {
    s.then(detail::la::qr(s.queue, detail::matrix("a", a, m, n, lda),
                          detail::vector("tau", tau, detail::least(m, n)), s.before));
    return s.finish();
  });
}
/// QR of the adjoint with its rows and columns reversed, which has the reflectors in their places.
template <typename A, typename Tau, typename W>
detail::result<A> gerqf(sycl::queue& queue, std::int64_t m, std::int64_t n, A&& a, std::int64_t lda,
                        Tau&& tau, W&&, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("gerqf", queue, scratchpad_size, dependencies, [&](auto& s) {
    const std::int64_t k = detail::least(m, n);
    const auto given = detail::matrix("a", a, m, n, lda);
    if (k == 0) return s.finish();
    auto adjoint = s.template take<detail::element<A>>(m * n);
    const auto turned = detail::matrix("a", adjoint, n, m, n);
    s.then(detail::la::transpose(s.queue, detail::own::conjugated(given), turned, s.before));
    s.then(detail::la::qr(s.queue, detail::strided(adjoint, n * m - 1, n, m, -1, -n),
                          blas::detail::vector("tau", tau, k, -1), s.before));
    s.then(detail::la::transpose(s.queue, detail::own::conjugated(turned), given, s.before));
    return s.finish();
  });
}

namespace detail {

template <typename A, typename Tau>
result<A> multiply_rq(const char* name, sycl::queue& queue, side left_right, transpose trans, std::int64_t m,
                      std::int64_t n, std::int64_t k, A& a, std::int64_t lda, Tau& tau, A& c,
                      std::int64_t ldc, std::int64_t scratchpad_size, const events& dependencies) {
  return run<A>(name, queue, scratchpad_size, dependencies, [&](auto& s) {
    const bool is_left = left_right == side::left;
    const std::int64_t order = is_left ? m : n;
    matrix("a", a, k, order, lda), matrix("c", c, m, n, ldc); // their checks
    if (m == 0 || n == 0 || k == 0) return s.finish();
    const auto reflectors = strided(a, k - 1 + (order - 1) * lda, order, k, -lda, -1);
    const auto to = is_left ? strided(c, m - 1, m, n, -1, ldc) : strided(c, (n - 1) * ldc, m, n, 1, -ldc);
    s.then(la::multiply_q(s.queue, is_left ? own::side::left : own::side::right, trans == transpose::nontrans,
                          own::conjugated(reflectors), blas::detail::vector("tau", tau, k, -1), to,
                          s.before));
    return s.finish();
  });
}

} // namespace detail

// The routines of matrices Q have a name for real and one for complex numbers.
#define PRISM_ONEMATH_Q(gqr, mqr, mrq)                                                                       \
  template <typename A, typename Tau, typename W>                                                            \
  detail::result<A> gqr(sycl::queue& queue, std::int64_t m, std::int64_t n, std::int64_t k, A&& a,           \
                        std::int64_t lda, Tau&& tau, W&&, std::int64_t scratchpad_size,                      \
                        const std::vector<sycl::event>& dependencies = {}) {                                 \
    return detail::run<A>(#gqr, queue, scratchpad_size, dependencies, [&](auto& s) {                         \
      detail::form_q(s, m, n, k, a, 0, lda, tau, 0);                                                         \
      return s.finish();                                                                                     \
    });                                                                                                      \
  }                                                                                                          \
  template <typename A, typename Tau, typename C, typename W>                                                \
  detail::result<A> mqr(sycl::queue& queue, side left_right, transpose trans, std::int64_t m,                \
                        std::int64_t n, std::int64_t k, A&& a, std::int64_t lda, Tau&& tau, C&& c,           \
                        std::int64_t ldc, W&&, std::int64_t scratchpad_size,                                 \
                        const std::vector<sycl::event>& dependencies = {}) {                                 \
    return detail::run<A>(#mqr, queue, scratchpad_size, dependencies, [&](auto& s) {                         \
      const bool is_left = left_right == side::left;                                                         \
      s.then(detail::la::multiply_q(                                                                         \
          s.queue, is_left ? detail::own::side::left : detail::own::side::right,                             \
          trans != transpose::nontrans, detail::matrix("a", a, is_left ? m : n, k, lda),                     \
          detail::vector("tau", tau, k), detail::matrix("c", c, m, n, ldc), s.before));                      \
      return s.finish();                                                                                     \
    });                                                                                                      \
  }                                                                                                          \
  template <typename A, typename Tau, typename C, typename W>                                                \
  detail::result<A> mrq(sycl::queue& queue, side left_right, transpose trans, std::int64_t m,                \
                        std::int64_t n, std::int64_t k, A&& a, std::int64_t lda, Tau&& tau, C&& c,           \
                        std::int64_t ldc, W&&, std::int64_t scratchpad_size,                                 \
                        const std::vector<sycl::event>& dependencies = {}) {                                 \
    return detail::multiply_rq(#mrq, queue, left_right, trans, m, n, k, a, lda, tau, c, ldc,                 \
                               scratchpad_size, dependencies);                                               \
  }
PRISM_ONEMATH_Q(orgqr, ormqr, ormrq)
PRISM_ONEMATH_Q(ungqr, unmqr, unmrq)
#undef PRISM_ONEMATH_Q

#define PRISM_ONEMATH_EIGEN(evd, gvd)                                                                        \
  template <typename A, typename V, typename W>                                                              \
  detail::result<A> evd(sycl::queue& queue, job jobz, uplo upper_lower, std::int64_t n, A&& a,               \
                        std::int64_t lda, V&& w, W&&, std::int64_t scratchpad_size,                          \
                        const std::vector<sycl::event>& dependencies = {}) {                                 \
    return detail::run<A>(#evd, queue, scratchpad_size, dependencies, [&](auto& s) {                         \
      const std::int64_t size = jobz == job::vec ? n : 0;                                                    \
      auto info = s.template take<std::int64_t>(1);                                                          \
      auto v = s.template take<detail::element<A>>(size * size);                                             \
      const auto given = detail::matrix("a", a, n, n, lda), vectors = detail::matrix("v", v, size, size, n); \
      s.then(detail::la::eigh(s.queue, detail::triangle_of(upper_lower), given, detail::vector("w", w, n),   \
                              vectors, detail::vector("info", info, 1), s.before));                          \
      if (size != 0) detail::copy(s, vectors, given);                                                        \
      return s.finish_by_info(info, detail::not_converged);                                                  \
    });                                                                                                      \
  }                                                                                                          \
  template <typename A, typename B, typename V, typename W>                                                  \
  detail::result<A> gvd(sycl::queue& queue, std::int64_t itype, job jobz, uplo upper_lower, std::int64_t n,  \
                        A&& a, std::int64_t lda, B&& b, std::int64_t ldb, V&& w, W&&,                        \
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {   \
    if (itype != 1) throw unimplemented("LAPACK", #gvd, "for itype 2 and 3");                                \
    return detail::run<A>(#gvd, queue, scratchpad_size, dependencies, [&](auto& s) {                         \
      const std::int64_t size = jobz == job::vec ? n : 0;                                                    \
      auto info = s.template take<std::int64_t>(2);                                                          \
      auto v = s.template take<detail::element<A>>(size * size);                                             \
      const auto triangle = detail::triangle_of(upper_lower);                                                \
      const auto given = detail::matrix("a", a, n, n, lda), second = detail::matrix("b", b, n, n, ldb),      \
                 vectors = detail::matrix("v", v, size, size, n);                                            \
      s.then(detail::la::eigh(s.queue, triangle, given, second, detail::vector("w", w, n), vectors,          \
                              detail::vector("info", info, 1), s.before));                                   \
      s.then(detail::la::cholesky(s.queue, triangle, second, detail::vector("info", info, 1, 1), s.before)); \
      if (size != 0) detail::copy(s, vectors, given);                                                        \
      return s.finish_by_info(info, "no convergence, or the second matrix is not positive definite");        \
    });                                                                                                      \
  }
PRISM_ONEMATH_EIGEN(syevd, sygvd)
PRISM_ONEMATH_EIGEN(heevd, hegvd)
#undef PRISM_ONEMATH_EIGEN

/// PRISM computes both sides or none: the one that is not asked for is temporary memory.
template <typename A, typename V, typename U, typename Vt, typename W>
detail::result<A> gesvd(sycl::queue& queue, jobsvd jobu, jobsvd jobvt, std::int64_t m, std::int64_t n, A&& a,
                        std::int64_t lda, V&& values, U&& u, std::int64_t ldu, Vt&& vt, std::int64_t ldvt,
                        W&&, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("gesvd", queue, scratchpad_size, dependencies, [&](auto& s) {
    using T = detail::element<A>;
    const std::int64_t k = detail::least(m, n);
    if (jobu == jobsvd::vectorsina && jobvt == jobsvd::vectorsina)
      throw invalid_argument("gesvd", "both kinds of vectors in A", 2);
    const bool all = jobu == jobsvd::vectors || jobvt == jobsvd::vectors,
               none = jobu == jobsvd::novec && jobvt == jobsvd::novec;
    const std::int64_t left = none ? 0 : all ? m : k, right = none ? 0 : all ? n : k;
    auto info = s.template take<std::int64_t>(1);
    auto of_left = s.template take<T>(m * left), of_right = s.template take<T>(right * n);
    const auto given = detail::matrix("a", a, m, n, lda),
               all_left = detail::matrix("u", of_left, none ? 0 : m, left, m),
               all_right = detail::matrix("vt", of_right, right, none ? 0 : n, right);
    s.then(detail::la::svd(s.queue, given, detail::vector("s", values, k), all_left, all_right,
                           detail::vector("info", info, 1), s.before));
    const auto part = [&](jobsvd which, std::int64_t whole) {
      return std::size_t(which == jobsvd::vectors ? whole : k);
    };
    const std::size_t of_u = part(jobu, m), of_vt = part(jobvt, n), rows = std::size_t(m),
                      columns = std::size_t(n);
    if (jobu == jobsvd::vectorsina)
      detail::copy(s, all_left.submatrix(0, 0, rows, of_u), given.submatrix(0, 0, rows, of_u));
    else if (jobu != jobsvd::novec)
      detail::copy(s, all_left.submatrix(0, 0, rows, of_u),
                   detail::matrix("u", u, m, std::int64_t(of_u), ldu));
    if (jobvt == jobsvd::vectorsina)
      detail::copy(s, all_right.submatrix(0, 0, of_vt, columns), given.submatrix(0, 0, of_vt, columns));
    else if (jobvt != jobsvd::novec)
      detail::copy(s, all_right.submatrix(0, 0, of_vt, columns),
                   detail::matrix("vt", vt, std::int64_t(of_vt), n, ldvt));
    return s.finish_by_info(info, detail::not_converged);
  });
}

#define PRISM_ONEMATH_MISSING(name)                                                                          \
  template <typename... Arguments>                                                                           \
  sycl::event name(sycl::queue&, Arguments&&...) {                                                           \
    throw unimplemented("LAPACK", #name);                                                                    \
  }
PRISM_ONEMATH_MISSING(gebrd)
PRISM_ONEMATH_MISSING(hetrd)
PRISM_ONEMATH_MISSING(hetrf)
PRISM_ONEMATH_MISSING(orgbr)
PRISM_ONEMATH_MISSING(orgtr)
PRISM_ONEMATH_MISSING(ormtr)
PRISM_ONEMATH_MISSING(sytrd)
PRISM_ONEMATH_MISSING(sytrf)
PRISM_ONEMATH_MISSING(ungbr)
PRISM_ONEMATH_MISSING(ungtr)
PRISM_ONEMATH_MISSING(unmtr)
#undef PRISM_ONEMATH_MISSING

} // namespace oneapi::math::lapack
