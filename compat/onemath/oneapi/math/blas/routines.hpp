// The routines of BLAS levels 1 to 3, for one layout: <oneapi/math/blas.hpp> includes this file in namespace
// column_major and in row_major, where `rows_first` says which. So it has no include guard.

// ---- level 1

template <typename X, typename R>
detail::result<R> asum(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, R&& result,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && std::is_same_v<detail::real_element<X>, detail::element<R>>)
    return detail::run<R>("asum", [&] {
      return detail::own::asum(queue, detail::vector("x", x, n, incx), detail::vector("result", result, 1, 1),
                               dependencies);
    });
  else throw unimplemented("blas", "asum", "for these types");
}
template <typename X, typename Y>
detail::result<Y> axpy(sycl::queue& queue, std::int64_t n, detail::scalar<Y> alpha, X&& x, std::int64_t incx,
                       Y&& y, std::int64_t incy, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y>)
    return detail::run<Y>("axpy", [&] {
      return detail::own::axpy(queue, alpha, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy),
                               dependencies);
    });
  else throw unimplemented("blas", "axpy", "for these types");
}
/// y = alpha x + beta y, in two passes over y.
template <typename X, typename Y>
detail::result<Y> axpby(sycl::queue& queue, std::int64_t n, detail::scalar<Y> alpha, X&& x, std::int64_t incx,
                        detail::scalar<Y> beta, Y&& y, std::int64_t incy,
                        const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y>)
    return detail::run<Y>("axpby", [&] {
      const auto to = detail::vector("y", y, n, incy);
      const sycl::event scaled = detail::own::scal(queue, beta, to, dependencies);
      return detail::own::axpy(queue, alpha, detail::vector("x", x, n, incx), to, {scaled});
    });
  else throw unimplemented("blas", "axpby", "for these types");
}
template <typename X, typename Y>
detail::result<Y> copy(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, Y&& y, std::int64_t incy,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y>)
    return detail::run<Y>("copy", [&] {
      return detail::own::copy(queue, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy),
                               dependencies);
    });
  else throw unimplemented("blas", "copy", "for these types");
}
template <typename X, typename Y, typename R>
detail::result<R> dot(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, Y&& y, std::int64_t incy,
                      R&& result, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y, R>)
    return detail::run<R>("dot", [&] {
      return detail::own::dot(queue, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy),
                              detail::vector("result", result, 1, 1), dependencies);
    });
  else throw unimplemented("blas", "dot", "for these types");
}
template <typename X, typename Y, typename R>
detail::result<R> dotc(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, Y&& y, std::int64_t incy,
                       R&& result, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y, R>)
    return detail::run<R>("dotc", [&] {
      return detail::own::dotc(queue, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy),
                               detail::vector("result", result, 1, 1), dependencies);
    });
  else throw unimplemented("blas", "dotc", "for these types");
}
template <typename X, typename Y, typename R>
detail::result<R> dotu(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, Y&& y, std::int64_t incy,
                       R&& result, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y, R>)
    return detail::run<R>("dotu", [&] {
      return detail::own::dotu(queue, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy),
                               detail::vector("result", result, 1, 1), dependencies);
    });
  else throw unimplemented("blas", "dotu", "for these types");
}
template <typename X, typename R>
detail::result<R> iamax(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, R&& result,
                        const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && std::is_same_v<detail::element<R>, std::int64_t>)
    return detail::run<R>("iamax", [&] {
      return detail::own::iamax(queue, detail::vector("x", x, n, incx),
                                detail::vector("result", result, 1, 1), dependencies);
    });
  else throw unimplemented("blas", "iamax", "for these types");
}
template <typename X, typename R>
detail::result<R> nrm2(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, R&& result,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && std::is_same_v<detail::real_element<X>, detail::element<R>>)
    return detail::run<R>("nrm2", [&] {
      return detail::own::nrm2(queue, detail::vector("x", x, n, incx), detail::vector("result", result, 1, 1),
                               dependencies);
    });
  else throw unimplemented("blas", "nrm2", "for these types");
}
template <typename X, typename Y>
detail::result<Y> rot(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, Y&& y, std::int64_t incy,
                      detail::real_element<Y> c, detail::real_element<Y> s,
                      const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y>)
    return detail::run<Y>("rot", [&] {
      return detail::own::rot(queue, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy), c, s,
                              dependencies);
    });
  else throw unimplemented("blas", "rot", "for these types");
}
template <typename A, typename B, typename C, typename S>
detail::result<S> rotg(sycl::queue& queue, A&& a, B&& b, C&& c, S&& s,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, B, S> &&
                std::is_same_v<detail::real_element<A>, detail::element<C>>)
    return detail::run<S>("rotg", [&] {
      return detail::own::rotg(queue, detail::vector("a", a, 1, 1), detail::vector("b", b, 1, 1),
                               detail::vector("c", c, 1, 1), detail::vector("s", s, 1, 1), dependencies);
    });
  else throw unimplemented("blas", "rotg", "for these types");
}
template <typename X>
detail::result<X> scal(sycl::queue& queue, std::int64_t n, detail::scalar<X> alpha, X&& x, std::int64_t incx,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X>)
    return detail::run<X>("scal", [&] {
      return detail::own::scal(queue, alpha, detail::vector("x", x, n, incx), dependencies);
    });
  else throw unimplemented("blas", "scal", "for these types");
}
template <typename X, typename Y>
detail::result<Y> swap(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx, Y&& y, std::int64_t incy,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, Y>)
    return detail::run<Y>("swap", [&] {
      return detail::own::swap(queue, detail::vector("x", x, n, incx), detail::vector("y", y, n, incy),
                               dependencies);
    });
  else throw unimplemented("blas", "swap", "for these types");
}

// ---- level 2

template <typename A, typename X, typename Y>
detail::result<Y> gemv(sycl::queue& queue, transpose trans, std::int64_t m, std::int64_t n,
                       detail::scalar<Y> alpha, A&& a, std::int64_t lda, X&& x, std::int64_t incx,
                       detail::scalar<Y> beta, Y&& y, std::int64_t incy,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<Y> && detail::are_alike<Y, A, X>)
    return detail::run<Y>("gemv", [&] {
      const std::int64_t rows = trans == transpose::nontrans ? m : n,
                         columns = trans == transpose::nontrans ? n : m;
      return detail::own::gemv(queue, alpha, detail::operand<rows_first>("a", trans, a, rows, columns, lda),
                               detail::vector("x", x, columns, incx), beta,
                               detail::vector("y", y, rows, incy), dependencies);
    });
  else throw unimplemented("blas", "gemv", "for these types");
}
template <typename X, typename Y, typename A>
detail::result<A> ger(sycl::queue& queue, std::int64_t m, std::int64_t n, detail::scalar<A> alpha, X&& x,
                      std::int64_t incx, Y&& y, std::int64_t incy, A&& a, std::int64_t lda,
                      const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X, Y>)
    return detail::run<A>("ger", [&] {
      return detail::own::ger(queue, alpha, detail::vector("x", x, m, incx), detail::vector("y", y, n, incy),
                              detail::matrix<rows_first>("a", a, m, n, lda), dependencies);
    });
  else throw unimplemented("blas", "ger", "for these types");
}
template <typename X, typename Y, typename A>
detail::result<A> gerc(sycl::queue& queue, std::int64_t m, std::int64_t n, detail::scalar<A> alpha, X&& x,
                       std::int64_t incx, Y&& y, std::int64_t incy, A&& a, std::int64_t lda,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X, Y>)
    return detail::run<A>("gerc", [&] {
      return detail::own::gerc(queue, alpha, detail::vector("x", x, m, incx), detail::vector("y", y, n, incy),
                               detail::matrix<rows_first>("a", a, m, n, lda), dependencies);
    });
  else throw unimplemented("blas", "gerc", "for these types");
}
template <typename X, typename Y, typename A>
detail::result<A> geru(sycl::queue& queue, std::int64_t m, std::int64_t n, detail::scalar<A> alpha, X&& x,
                       std::int64_t incx, Y&& y, std::int64_t incy, A&& a, std::int64_t lda,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X, Y>)
    return detail::run<A>("geru", [&] {
      return detail::own::geru(queue, alpha, detail::vector("x", x, m, incx), detail::vector("y", y, n, incy),
                               detail::matrix<rows_first>("a", a, m, n, lda), dependencies);
    });
  else throw unimplemented("blas", "geru", "for these types");
}
template <typename A, typename X, typename Y>
detail::result<Y> symv(sycl::queue& queue, uplo upper_lower, std::int64_t n, detail::scalar<Y> alpha, A&& a,
                       std::int64_t lda, X&& x, std::int64_t incx, detail::scalar<Y> beta, Y&& y,
                       std::int64_t incy, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<Y> && detail::are_alike<Y, A, X>)
    return detail::run<Y>("symv", [&] {
      return detail::own::symv(queue, detail::triangle(upper_lower), alpha,
                               detail::matrix<rows_first>("a", a, n, n, lda), detail::vector("x", x, n, incx),
                               beta, detail::vector("y", y, n, incy), dependencies);
    });
  else throw unimplemented("blas", "symv", "for these types");
}
template <typename A, typename X, typename Y>
detail::result<Y> hemv(sycl::queue& queue, uplo upper_lower, std::int64_t n, detail::scalar<Y> alpha, A&& a,
                       std::int64_t lda, X&& x, std::int64_t incx, detail::scalar<Y> beta, Y&& y,
                       std::int64_t incy, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<Y> && detail::are_alike<Y, A, X>)
    return detail::run<Y>("hemv", [&] {
      return detail::own::hemv(queue, detail::triangle(upper_lower), alpha,
                               detail::matrix<rows_first>("a", a, n, n, lda), detail::vector("x", x, n, incx),
                               beta, detail::vector("y", y, n, incy), dependencies);
    });
  else throw unimplemented("blas", "hemv", "for these types");
}
template <typename X, typename A>
detail::result<A> syr(sycl::queue& queue, uplo upper_lower, std::int64_t n, detail::scalar<A> alpha, X&& x,
                      std::int64_t incx, A&& a, std::int64_t lda,
                      const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X>)
    return detail::run<A>("syr", [&] {
      return detail::own::syr(queue, detail::triangle(upper_lower), alpha, detail::vector("x", x, n, incx),
                              detail::matrix<rows_first>("a", a, n, n, lda), dependencies);
    });
  else throw unimplemented("blas", "syr", "for these types");
}
template <typename X, typename A>
detail::result<A> her(sycl::queue& queue, uplo upper_lower, std::int64_t n, detail::real_element<A> alpha,
                      X&& x, std::int64_t incx, A&& a, std::int64_t lda,
                      const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X>)
    return detail::run<A>("her", [&] {
      return detail::own::her(queue, detail::triangle(upper_lower), alpha, detail::vector("x", x, n, incx),
                              detail::matrix<rows_first>("a", a, n, n, lda), dependencies);
    });
  else throw unimplemented("blas", "her", "for these types");
}
template <typename X, typename Y, typename A>
detail::result<A> syr2(sycl::queue& queue, uplo upper_lower, std::int64_t n, detail::scalar<A> alpha, X&& x,
                       std::int64_t incx, Y&& y, std::int64_t incy, A&& a, std::int64_t lda,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X, Y>)
    return detail::run<A>("syr2", [&] {
      return detail::own::syr2(queue, detail::triangle(upper_lower), alpha, detail::vector("x", x, n, incx),
                               detail::vector("y", y, n, incy), detail::matrix<rows_first>("a", a, n, n, lda),
                               dependencies);
    });
  else throw unimplemented("blas", "syr2", "for these types");
}
template <typename X, typename Y, typename A>
detail::result<A> her2(sycl::queue& queue, uplo upper_lower, std::int64_t n, detail::scalar<A> alpha, X&& x,
                       std::int64_t incx, Y&& y, std::int64_t incy, A&& a, std::int64_t lda,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<A> && detail::are_alike<A, X, Y>)
    return detail::run<A>("her2", [&] {
      return detail::own::her2(queue, detail::triangle(upper_lower), alpha, detail::vector("x", x, n, incx),
                               detail::vector("y", y, n, incy), detail::matrix<rows_first>("a", a, n, n, lda),
                               dependencies);
    });
  else throw unimplemented("blas", "her2", "for these types");
}
template <typename A, typename X>
detail::result<X> trmv(sycl::queue& queue, uplo upper_lower, transpose trans, diag unit_diag, std::int64_t n,
                       A&& a, std::int64_t lda, X&& x, std::int64_t incx,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, A>)
    return detail::run<X>("trmv", [&] {
      return detail::own::trmv(queue, detail::triangle(upper_lower, trans), detail::to_diag(unit_diag),
                               detail::operand<rows_first>("a", trans, a, n, n, lda),
                               detail::vector("x", x, n, incx), dependencies);
    });
  else throw unimplemented("blas", "trmv", "for these types");
}
template <typename A, typename X>
detail::result<X> trsv(sycl::queue& queue, uplo upper_lower, transpose trans, diag unit_diag, std::int64_t n,
                       A&& a, std::int64_t lda, X&& x, std::int64_t incx,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<X> && detail::are_alike<X, A>)
    return detail::run<X>("trsv", [&] {
      return detail::own::trsv(queue, detail::triangle(upper_lower, trans), detail::to_diag(unit_diag),
                               detail::operand<rows_first>("a", trans, a, n, n, lda),
                               detail::vector("x", x, n, incx), dependencies);
    });
  else throw unimplemented("blas", "trsv", "for these types");
}

// ---- level 3

template <typename A, typename B, typename C>
detail::result<C> gemm(sycl::queue& queue, transpose transa, transpose transb, std::int64_t m, std::int64_t n,
                       std::int64_t k, detail::scalar<C> alpha, A&& a, std::int64_t lda, B&& b,
                       std::int64_t ldb, detail::scalar<C> beta, C&& c, std::int64_t ldc,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A, B>)
    return detail::run<C>("gemm", [&] {
      return detail::own::gemm(queue, alpha, detail::operand<rows_first>("a", transa, a, m, k, lda),
                               detail::operand<rows_first>("b", transb, b, k, n, ldb), beta,
                               detail::matrix<rows_first>("c", c, m, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "gemm", "for these types");
}
template <typename A, typename B, typename C>
detail::result<C> symm(sycl::queue& queue, side left_right, uplo upper_lower, std::int64_t m, std::int64_t n,
                       detail::scalar<C> alpha, A&& a, std::int64_t lda, B&& b, std::int64_t ldb,
                       detail::scalar<C> beta, C&& c, std::int64_t ldc,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A, B>)
    return detail::run<C>("symm", [&] {
      const std::int64_t order = left_right == side::left ? m : n;
      return detail::own::symm(queue, detail::to_side(left_right), detail::triangle(upper_lower), alpha,
                               detail::matrix<rows_first>("a", a, order, order, lda),
                               detail::matrix<rows_first>("b", b, m, n, ldb), beta,
                               detail::matrix<rows_first>("c", c, m, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "symm", "for these types");
}
template <typename A, typename B, typename C>
detail::result<C> hemm(sycl::queue& queue, side left_right, uplo upper_lower, std::int64_t m, std::int64_t n,
                       detail::scalar<C> alpha, A&& a, std::int64_t lda, B&& b, std::int64_t ldb,
                       detail::scalar<C> beta, C&& c, std::int64_t ldc,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A, B>)
    return detail::run<C>("hemm", [&] {
      const std::int64_t order = left_right == side::left ? m : n;
      return detail::own::hemm(queue, detail::to_side(left_right), detail::triangle(upper_lower), alpha,
                               detail::matrix<rows_first>("a", a, order, order, lda),
                               detail::matrix<rows_first>("b", b, m, n, ldb), beta,
                               detail::matrix<rows_first>("c", c, m, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "hemm", "for these types");
}
template <typename A, typename C>
detail::result<C> syrk(sycl::queue& queue, uplo upper_lower, transpose trans, std::int64_t n, std::int64_t k,
                       detail::scalar<C> alpha, A&& a, std::int64_t lda, detail::scalar<C> beta, C&& c,
                       std::int64_t ldc, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A>)
    return detail::run<C>("syrk", [&] {
      return detail::own::syrk(queue, detail::triangle(upper_lower), alpha,
                               detail::operand<rows_first>("a", trans, a, n, k, lda), beta,
                               detail::matrix<rows_first>("c", c, n, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "syrk", "for these types");
}
template <typename A, typename C>
detail::result<C> herk(sycl::queue& queue, uplo upper_lower, transpose trans, std::int64_t n, std::int64_t k,
                       detail::real_element<C> alpha, A&& a, std::int64_t lda, detail::real_element<C> beta,
                       C&& c, std::int64_t ldc, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A>)
    return detail::run<C>("herk", [&] {
      return detail::own::herk(queue, detail::triangle(upper_lower), alpha,
                               detail::operand<rows_first>("a", trans, a, n, k, lda), beta,
                               detail::matrix<rows_first>("c", c, n, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "herk", "for these types");
}
template <typename A, typename B, typename C>
detail::result<C> syr2k(sycl::queue& queue, uplo upper_lower, transpose trans, std::int64_t n, std::int64_t k,
                        detail::scalar<C> alpha, A&& a, std::int64_t lda, B&& b, std::int64_t ldb,
                        detail::scalar<C> beta, C&& c, std::int64_t ldc,
                        const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A, B>)
    return detail::run<C>("syr2k", [&] {
      return detail::own::syr2k(queue, detail::triangle(upper_lower), alpha,
                                detail::operand<rows_first>("a", trans, a, n, k, lda),
                                detail::operand<rows_first>("b", trans, b, n, k, ldb), beta,
                                detail::matrix<rows_first>("c", c, n, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "syr2k", "for these types");
}
template <typename A, typename B, typename C>
detail::result<C> her2k(sycl::queue& queue, uplo upper_lower, transpose trans, std::int64_t n, std::int64_t k,
                        detail::scalar<C> alpha, A&& a, std::int64_t lda, B&& b, std::int64_t ldb,
                        detail::real_element<C> beta, C&& c, std::int64_t ldc,
                        const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A, B>)
    return detail::run<C>("her2k", [&] {
      return detail::own::her2k(queue, detail::triangle(upper_lower), alpha,
                                detail::operand<rows_first>("a", trans, a, n, k, lda),
                                detail::operand<rows_first>("b", trans, b, n, k, ldb), beta,
                                detail::matrix<rows_first>("c", c, n, n, ldc), dependencies);
    });
  else throw unimplemented("blas", "her2k", "for these types");
}
template <typename A, typename B>
detail::result<B> trmm(sycl::queue& queue, side left_right, uplo upper_lower, transpose trans, diag unit_diag,
                       std::int64_t m, std::int64_t n, detail::scalar<B> alpha, A&& a, std::int64_t lda,
                       B&& b, std::int64_t ldb, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<B> && detail::are_alike<B, A>)
    return detail::run<B>("trmm", [&] {
      const std::int64_t order = left_right == side::left ? m : n;
      return detail::own::trmm(queue, detail::to_side(left_right), detail::triangle(upper_lower, trans),
                               detail::to_diag(unit_diag), alpha,
                               detail::operand<rows_first>("a", trans, a, order, order, lda),
                               detail::matrix<rows_first>("b", b, m, n, ldb), dependencies);
    });
  else throw unimplemented("blas", "trmm", "for these types");
}
template <typename A, typename B>
detail::result<B> trsm(sycl::queue& queue, side left_right, uplo upper_lower, transpose trans, diag unit_diag,
                       std::int64_t m, std::int64_t n, detail::scalar<B> alpha, A&& a, std::int64_t lda,
                       B&& b, std::int64_t ldb, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<B> && detail::are_alike<B, A>)
    return detail::run<B>("trsm", [&] {
      const std::int64_t order = left_right == side::left ? m : n;
      return detail::own::trsm(queue, detail::to_side(left_right), detail::triangle(upper_lower, trans),
                               detail::to_diag(unit_diag), alpha,
                               detail::operand<rows_first>("a", trans, a, order, order, lda),
                               detail::matrix<rows_first>("b", b, m, n, ldb), dependencies);
    });
  else throw unimplemented("blas", "trsm", "for these types");
}
