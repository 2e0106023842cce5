// Batches of <oneapi/math/lapack.hpp>: with strides over USM and buffers, and in groups over USM. A member is
// a sequence of commands of its own. Results that there are not are one batch_error.
#pragma once

#include <oneapi/math/lapack/routines.hpp>

namespace oneapi::math::lapack {
namespace detail {

/// Calls `body(member, group)` for all members of all groups.
template <typename Body>
void for_groups(std::int64_t groups, const std::int64_t* sizes, const Body& body) {
  for (std::int64_t g = 0, member = 0; g < groups; ++g)
    for (std::int64_t i = 0; i < sizes[g]; ++i) body(member++, g);
}
inline std::int64_t members_of(std::int64_t groups, const std::int64_t* sizes) {
  std::int64_t out = 0;
  for (std::int64_t g = 0; g < groups; ++g) out += sizes[g];
  return out;
}

} // namespace detail

template <typename A, typename P, typename W>
detail::result<A> getrf_batch(sycl::queue& queue, std::int64_t m, std::int64_t n, A&& a, std::int64_t lda,
                              std::int64_t stride_a, P&& ipiv, std::int64_t stride_ipiv,
                              std::int64_t batch_size, W&&, std::int64_t scratchpad_size,
                              const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("getrf_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    auto info = s.template take<std::int64_t>(batch_size);
    for (std::int64_t i = 0; i < batch_size; ++i)
      detail::lu(s, m, n, a, i * stride_a, lda, ipiv, i * stride_ipiv, info, i);
    return s.finish_batch(info, batch_size, detail::singular);
  });
}
template <typename T>
sycl::event getrf_batch(sycl::queue& queue, std::int64_t* m, std::int64_t* n, T** a, std::int64_t* lda,
                        std::int64_t** ipiv, std::int64_t group_count, std::int64_t* group_sizes, T*,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<T*>("getrf_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    const std::int64_t members = detail::members_of(group_count, group_sizes);
    auto info = s.template take<std::int64_t>(members);
    detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {
      detail::lu(s, m[g], n[g], a[i], 0, lda[g], ipiv[i], 0, info, i);
    });
    return s.finish_batch(info, members, detail::singular);
  });
}

template <typename A, typename P, typename W>
detail::result<A> getri_batch(sycl::queue& queue, std::int64_t n, A&& a, std::int64_t lda,
                              std::int64_t stride_a, P&& ipiv, std::int64_t stride_ipiv,
                              std::int64_t batch_size, W&&, std::int64_t scratchpad_size,
                              const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("getri_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    auto diagonals = s.template take<detail::element<A>>(n * batch_size);
    for (std::int64_t i = 0; i < batch_size; ++i) {
      detail::diagonal(s, a, i * stride_a, n, lda, diagonals, i * n);
      detail::inverse(s, n, a, i * stride_a, lda, ipiv, i * stride_ipiv);
    }
    return s.template finish_batch_by_diagonals<detail::element<A>>(
        diagonals, std::vector<std::int64_t>(std::size_t(batch_size), n));
  });
}
template <typename T>
sycl::event getri_batch(sycl::queue& queue, std::int64_t* n, T** a, std::int64_t* lda, std::int64_t** ipiv,
                        std::int64_t group_count, std::int64_t* group_sizes, T*, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<T*>("getri_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    std::vector<std::int64_t> sizes;
    std::int64_t all = 0;
    detail::for_groups(group_count, group_sizes,
                       [&](std::int64_t, std::int64_t g) { sizes.push_back(n[g]), all += n[g]; });
    auto diagonals = s.template take<T>(all);
    std::int64_t at = 0;
    detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {
      detail::diagonal(s, a[i], 0, n[g], lda[g], diagonals, at);
      at += n[g];
      detail::inverse(s, n[g], a[i], 0, lda[g], ipiv[i], 0);
    });
    return s.template finish_batch_by_diagonals<T>(diagonals, sizes);
  });
}

template <typename A, typename P, typename B, typename W>
detail::result<A> getrs_batch(sycl::queue& queue, transpose trans, std::int64_t n, std::int64_t nrhs, A&& a,
                              std::int64_t lda, std::int64_t stride_a, P&& ipiv, std::int64_t stride_ipiv,
                              B&& b, std::int64_t ldb, std::int64_t stride_b, std::int64_t batch_size, W&&,
                              std::int64_t scratchpad_size,
                              const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("getrs_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    for (std::int64_t i = 0; i < batch_size; ++i)
      detail::lu_solve(s, trans, n, nrhs, a, i * stride_a, lda, ipiv, i * stride_ipiv, b, i * stride_b, ldb);
    return s.finish();
  });
}
template <typename T>
sycl::event getrs_batch(sycl::queue& queue, transpose* trans, std::int64_t* n, std::int64_t* nrhs, T** a,
                        std::int64_t* lda, std::int64_t** ipiv, T** b, std::int64_t* ldb,
                        std::int64_t group_count, std::int64_t* group_sizes, T*, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<T*>("getrs_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {
      detail::lu_solve(s, trans[g], n[g], nrhs[g], a[i], 0, lda[g], ipiv[i], 0, b[i], 0, ldb[g]);
    });
    return s.finish();
  });
}

template <typename A, typename Tau, typename W>
detail::result<A> geqrf_batch(sycl::queue& queue, std::int64_t m, std::int64_t n, A&& a, std::int64_t lda,
                              std::int64_t stride_a, Tau&& tau, std::int64_t stride_tau,
                              std::int64_t batch_size, W&&, std::int64_t scratchpad_size,
                              const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("geqrf_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    for (std::int64_t i = 0; i < batch_size; ++i)
      s.then(detail::la::qr(s.queue, detail::matrix("a", a, m, n, lda, i * stride_a),
                            detail::vector("tau", tau, detail::least(m, n), i * stride_tau), s.before));
    return s.finish();
  });
}
template <typename T>
sycl::event geqrf_batch(sycl::queue& queue, std::int64_t* m, std::int64_t* n, T** a, std::int64_t* lda,
                        T** tau, std::int64_t group_count, std::int64_t* group_sizes, T*,
                        std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<T*>("geqrf_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {
      s.then(detail::la::qr(s.queue, detail::matrix("a", a[i], m[g], n[g], lda[g]),
                            detail::vector("tau", tau[i], detail::least(m[g], n[g])), s.before));
    });
    return s.finish();
  });
}

template <typename A, typename W>
detail::result<A> potrf_batch(sycl::queue& queue, uplo upper_lower, std::int64_t n, A&& a, std::int64_t lda,
                              std::int64_t stride_a, std::int64_t batch_size, W&&,
                              std::int64_t scratchpad_size,
                              const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("potrf_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    auto info = s.template take<std::int64_t>(batch_size);
    for (std::int64_t i = 0; i < batch_size; ++i)
      s.then(detail::la::cholesky(s.queue, detail::triangle_of(upper_lower),
                                  detail::matrix("a", a, n, n, lda, i * stride_a),
                                  detail::vector("info", info, 1, i), s.before));
    return s.finish_batch(info, batch_size, detail::not_positive);
  });
}
template <typename T>
sycl::event potrf_batch(sycl::queue& queue, uplo* upper_lower, std::int64_t* n, T** a, std::int64_t* lda,
                        std::int64_t group_count, std::int64_t* group_sizes, T*, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<T*>("potrf_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    const std::int64_t members = detail::members_of(group_count, group_sizes);
    auto info = s.template take<std::int64_t>(members);
    detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {
      s.then(detail::la::cholesky(s.queue, detail::triangle_of(upper_lower[g]),
                                  detail::matrix("a", a[i], n[g], n[g], lda[g]),
                                  detail::vector("info", info, 1, i), s.before));
    });
    return s.finish_batch(info, members, detail::not_positive);
  });
}

template <typename A, typename B, typename W>
detail::result<A>
potrs_batch(sycl::queue& queue, uplo upper_lower, std::int64_t n, std::int64_t nrhs, A&& a, std::int64_t lda,
            std::int64_t stride_a, B&& b, std::int64_t ldb, std::int64_t stride_b, std::int64_t batch_size,
            W&&, std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<A>("potrs_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    for (std::int64_t i = 0; i < batch_size; ++i)
      s.then(detail::la::cholesky_solve(s.queue, detail::triangle_of(upper_lower),
                                        detail::matrix("a", a, n, n, lda, i * stride_a),
                                        detail::matrix("b", b, n, nrhs, ldb, i * stride_b), s.before));
    return s.finish();
  });
}
template <typename T>
sycl::event potrs_batch(sycl::queue& queue, uplo* upper_lower, std::int64_t* n, std::int64_t* nrhs, T** a,
                        std::int64_t* lda, T** b, std::int64_t* ldb, std::int64_t group_count,
                        std::int64_t* group_sizes, T*, std::int64_t scratchpad_size,
                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::run<T*>("potrs_batch", queue, scratchpad_size, dependencies, [&](auto& s) {
    detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {
      s.then(detail::la::cholesky_solve(s.queue, detail::triangle_of(upper_lower[g]),
                                        detail::matrix("a", a[i], n[g], n[g], lda[g]),
                                        detail::matrix("b", b[i], n[g], nrhs[g], ldb[g]), s.before));
    });
    return s.finish();
  });
}

#define PRISM_ONEMATH_Q_BATCH(name)                                                                          \
  template <typename A, typename Tau, typename W>                                                            \
  detail::result<A> name(sycl::queue& queue, std::int64_t m, std::int64_t n, std::int64_t k, A&& a,          \
                         std::int64_t lda, std::int64_t stride_a, Tau&& tau, std::int64_t stride_tau,        \
                         std::int64_t batch_size, W&&, std::int64_t scratchpad_size,                         \
                         const std::vector<sycl::event>& dependencies = {}) {                                \
    return detail::run<A>(#name, queue, scratchpad_size, dependencies, [&](auto& s) {                        \
      for (std::int64_t i = 0; i < batch_size; ++i)                                                          \
        detail::form_q(s, m, n, k, a, i* stride_a, lda, tau, i* stride_tau);                                 \
      return s.finish();                                                                                     \
    });                                                                                                      \
  }                                                                                                          \
  template <typename T>                                                                                      \
  sycl::event name(sycl::queue& queue, std::int64_t* m, std::int64_t* n, std::int64_t* k, T** a,             \
                   std::int64_t* lda, T** tau, std::int64_t group_count, std::int64_t* group_sizes, T*,      \
                   std::int64_t scratchpad_size, const std::vector<sycl::event>& dependencies = {}) {        \
    return detail::run<T*>(#name, queue, scratchpad_size, dependencies, [&](auto& s) {                       \
      detail::for_groups(group_count, group_sizes, [&](std::int64_t i, std::int64_t g) {                     \
        detail::form_q(s, m[g], n[g], k[g], a[i], 0, lda[g], tau[i], 0);                                     \
      });                                                                                                    \
      return s.finish();                                                                                     \
    });                                                                                                      \
  }
PRISM_ONEMATH_Q_BATCH(orgqr_batch)
PRISM_ONEMATH_Q_BATCH(ungqr_batch)
#undef PRISM_ONEMATH_Q_BATCH

} // namespace oneapi::math::lapack
