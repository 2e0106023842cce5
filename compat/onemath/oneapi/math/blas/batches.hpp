// Batches: strided ones (operands a fixed distance apart) and groups (arrays of pointers, over USM only; the
// arrays are read by the call). Included in namespace column_major and in row_major, as routines.hpp is.
// Strided products are one operation of PRISM's; the other batches are one command for each member. Members
// must not write what other members read or write.

namespace detail_batch {

/// Calls `member(i)` for `count` members of a strided batch over USM or buffers.
template <typename Written, typename Member>
blas::detail::result<Written> strided(const char* name, sycl::queue& queue, std::int64_t count,
                                      const blas::detail::events& dependencies, const Member& member) {
  return blas::detail::run<Written>(name, [&] {
    const std::size_t members = blas::detail::extent("batch_size", count);
    blas::detail::events done;
    for (std::size_t i = 0; i < members; ++i) done.push_back(member(static_cast<std::int64_t>(i)));
    return blas::detail::all_of(queue, done, dependencies);
  });
}

/// Calls `member(g, i)` for each pointer i of each group g.
template <typename Member>
sycl::event grouped(sycl::queue& queue, std::int64_t groups, const std::int64_t* sizes,
                    const blas::detail::events& dependencies, const Member& member) {
  blas::detail::events done;
  std::int64_t next = 0;
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t i = 0; i < sizes[g]; ++i) done.push_back(member(g, next++));
  return blas::detail::all_of(queue, done, dependencies);
}

} // namespace detail_batch

// ---- products

template <typename A, typename B, typename C>
detail::result<C> gemm_batch(sycl::queue& queue, transpose transa, transpose transb, std::int64_t m,
                             std::int64_t n, std::int64_t k, detail::scalar<C> alpha, A&& a, std::int64_t lda,
                             std::int64_t stride_a, B&& b, std::int64_t ldb, std::int64_t stride_b,
                             detail::scalar<C> beta, C&& c, std::int64_t ldc, std::int64_t stride_c,
                             std::int64_t batch_size, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A, B>)
    return detail::run<C>("gemm_batch", [&] {
      const std::size_t members = detail::extent("batch_size", batch_size);
      using T = detail::element<C>;
      using Place = typename detail::traits<C>::place;
      using Batch = typename detail::own::batch_in<T, Place>;
      const auto batch = [&](const auto& matrix, std::int64_t stride) {
        Batch whole(prism::batch_view(matrix.view, members, stride));
        whole.conjugated = matrix.conjugated;
        return whole;
      };
      return detail::own::gemm(
          queue, alpha, batch(detail::operand<rows_first>("a", transa, a, m, k, lda), stride_a),
          batch(detail::operand<rows_first>("b", transb, b, k, n, ldb), stride_b), beta,
          prism::batch_view<T, Place>(detail::matrix<rows_first>("c", c, m, n, ldc), members, stride_c),
          dependencies);
    });
  else throw unimplemented("blas", "gemm_batch", "for these types");
}
template <typename A, typename B, typename C, typename S>
sycl::event gemm_batch(sycl::queue& queue, transpose* transa, transpose* transb, std::int64_t* m,
                       std::int64_t* n, std::int64_t* k, S* alpha, const A** a, std::int64_t* lda,
                       const B** b, std::int64_t* ldb, S* beta, C** c, std::int64_t* ldc,
                       std::int64_t group_count, std::int64_t* group_size,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::is_supported<C> && std::is_same_v<A, C> && std::is_same_v<B, C>)
    return detail::run<C*>("gemm_batch", [&] {
      return detail_batch::grouped(queue, group_count, group_size, dependencies,
                                   [&](std::int64_t g, std::int64_t i) {
        return gemm(queue, transa[g], transb[g], m[g], n[g], k[g], alpha[g], a[i], lda[g], b[i], ldb[g],
                    beta[g], c[i], ldc[g], dependencies);
      });
    });
  else throw unimplemented("blas", "gemm_batch", "for these types");
}

// ---- one command for each member
template <typename X, typename Y>
detail::result<Y> axpy_batch(sycl::queue& queue, std::int64_t n, detail::scalar<Y> alpha, X&& x,
                             std::int64_t incx, std::int64_t stridex, Y&& y, std::int64_t incy,
                             std::int64_t stridey, std::int64_t batch_size,
                             const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<Y> && detail::are_alike<Y, X>)
    return detail_batch::strided<Y>("axpy_batch", queue, batch_size, dependencies, [&](std::int64_t i) {
      return detail::own::axpy(queue, alpha, detail::vector("x", x, n, incx, i * stridex),
                               detail::vector("y", y, n, incy, i * stridey), dependencies);
    });
  else throw unimplemented("blas", "axpy_batch", "for these types");
}
template <typename T>
sycl::event axpy_batch(sycl::queue& queue, std::int64_t* n, T* alpha, const T** x, std::int64_t* incx, T** y,
                       std::int64_t* incy, std::int64_t group_count, std::int64_t* group_size,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::is_supported<T>)
    return detail_batch::grouped(queue, group_count, group_size, dependencies,
                                 [&](std::int64_t g, std::int64_t i) {
      return axpy(queue, n[g], alpha[g], x[i], incx[g], y[i], incy[g], dependencies);
    });
  else throw unimplemented("blas", "axpy_batch", "for these types");
}
template <typename X, typename Y>
detail::result<Y> copy_batch(sycl::queue& queue, std::int64_t n, X&& x, std::int64_t incx,
                             std::int64_t stridex, Y&& y, std::int64_t incy, std::int64_t stridey,
                             std::int64_t batch_size, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<Y> && detail::are_alike<Y, X>)
    return detail_batch::strided<Y>("copy_batch", queue, batch_size, dependencies, [&](std::int64_t i) {
      return detail::own::copy(queue, detail::vector("x", x, n, incx, i * stridex),
                               detail::vector("y", y, n, incy, i * stridey), dependencies);
    });
  else throw unimplemented("blas", "copy_batch", "for these types");
}
template <typename T>
sycl::event copy_batch(sycl::queue& queue, std::int64_t* n, const T** x, std::int64_t* incx, T** y,
                       std::int64_t* incy, std::int64_t group_count, std::int64_t* group_size,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::is_supported<T>)
    return detail_batch::grouped(queue, group_count, group_size, dependencies,
                                 [&](std::int64_t g, std::int64_t i) {
      return copy(queue, n[g], x[i], incx[g], y[i], incy[g], dependencies);
    });
  else throw unimplemented("blas", "copy_batch", "for these types");
}
template <typename A, typename X, typename Y>
detail::result<Y> gemv_batch(sycl::queue& queue, transpose trans, std::int64_t m, std::int64_t n,
                             detail::scalar<Y> alpha, A&& a, std::int64_t lda, std::int64_t stridea, X&& x,
                             std::int64_t incx, std::int64_t stridex, detail::scalar<Y> beta, Y&& y,
                             std::int64_t incy, std::int64_t stridey, std::int64_t batch_size,
                             const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<Y> && detail::are_alike<Y, A, X>)
    return detail_batch::strided<Y>("gemv_batch", queue, batch_size, dependencies, [&](std::int64_t i) {
      const std::int64_t rows = trans == transpose::nontrans ? m : n,
                         columns = trans == transpose::nontrans ? n : m;
      return detail::own::gemv(queue, alpha,
                               detail::operand<rows_first>("a", trans, a, rows, columns, lda, i * stridea),
                               detail::vector("x", x, columns, incx, i * stridex), beta,
                               detail::vector("y", y, rows, incy, i * stridey), dependencies);
    });
  else throw unimplemented("blas", "gemv_batch", "for these types");
}
template <typename T>
sycl::event gemv_batch(sycl::queue& queue, transpose* trans, std::int64_t* m, std::int64_t* n, T* alpha,
                       const T** a, std::int64_t* lda, const T** x, std::int64_t* incx, T* beta, T** y,
                       std::int64_t* incy, std::int64_t group_count, std::int64_t* group_size,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::is_supported<T>)
    return detail_batch::grouped(queue, group_count, group_size, dependencies,
                                 [&](std::int64_t g, std::int64_t i) {
      return gemv(queue, trans[g], m[g], n[g], alpha[g], a[i], lda[g], x[i], incx[g], beta[g], y[i], incy[g],
                  dependencies);
    });
  else throw unimplemented("blas", "gemv_batch", "for these types");
}
template <typename A, typename C>
detail::result<C> syrk_batch(sycl::queue& queue, uplo upper_lower, transpose trans, std::int64_t n,
                             std::int64_t k, detail::scalar<C> alpha, A&& a, std::int64_t lda,
                             std::int64_t stride_a, detail::scalar<C> beta, C&& c, std::int64_t ldc,
                             std::int64_t stride_c, std::int64_t batch_size,
                             const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<C> && detail::are_alike<C, A>)
    return detail_batch::strided<C>("syrk_batch", queue, batch_size, dependencies, [&](std::int64_t i) {
      return detail::own::syrk(queue, detail::triangle(upper_lower), alpha,
                               detail::operand<rows_first>("a", trans, a, n, k, lda, i * stride_a), beta,
                               detail::matrix<rows_first>("c", c, n, n, ldc, i * stride_c), dependencies);
    });
  else throw unimplemented("blas", "syrk_batch", "for these types");
}
template <typename T>
sycl::event syrk_batch(sycl::queue& queue, uplo* upper_lower, transpose* trans, std::int64_t* n,
                       std::int64_t* k, T* alpha, const T** a, std::int64_t* lda, T* beta, T** c,
                       std::int64_t* ldc, std::int64_t group_count, std::int64_t* group_size,
                       const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::is_supported<T>)
    return detail_batch::grouped(queue, group_count, group_size, dependencies,
                                 [&](std::int64_t g, std::int64_t i) {
      return syrk(queue, upper_lower[g], trans[g], n[g], k[g], alpha[g], a[i], lda[g], beta[g], c[i], ldc[g],
                  dependencies);
    });
  else throw unimplemented("blas", "syrk_batch", "for these types");
}
template <typename A, typename B>
detail::result<B> trsm_batch(sycl::queue& queue, side left_right, uplo upper_lower, transpose trans,
                             diag unit_diag, std::int64_t m, std::int64_t n, detail::scalar<B> alpha, A&& a,
                             std::int64_t lda, std::int64_t stride_a, B&& b, std::int64_t ldb,
                             std::int64_t stride_b, std::int64_t batch_size,
                             const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::are_supported<B> && detail::are_alike<B, A>)
    return detail_batch::strided<B>("trsm_batch", queue, batch_size, dependencies, [&](std::int64_t i) {
      const std::int64_t order = left_right == side::left ? m : n;
      return detail::own::trsm(queue, detail::to_side(left_right), detail::triangle(upper_lower, trans),
                               detail::to_diag(unit_diag), alpha,
                               detail::operand<rows_first>("a", trans, a, order, order, lda, i * stride_a),
                               detail::matrix<rows_first>("b", b, m, n, ldb, i * stride_b), dependencies);
    });
  else throw unimplemented("blas", "trsm_batch", "for these types");
}
template <typename T>
sycl::event trsm_batch(sycl::queue& queue, side* left_right, uplo* upper_lower, transpose* trans,
                       diag* unit_diag, std::int64_t* m, std::int64_t* n, T* alpha, const T** a,
                       std::int64_t* lda, T** b, std::int64_t* ldb, std::int64_t group_count,
                       std::int64_t* group_size, const std::vector<sycl::event>& dependencies = {}) {
  if constexpr (detail::is_supported<T>)
    return detail_batch::grouped(queue, group_count, group_size, dependencies,
                                 [&](std::int64_t g, std::int64_t i) {
      return trsm(queue, left_right[g], upper_lower[g], trans[g], unit_diag[g], m[g], n[g], alpha[g], a[i],
                  lda[g], b[i], ldb[g], dependencies);
    });
  else throw unimplemented("blas", "trsm_batch", "for these types");
}
