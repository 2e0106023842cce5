// The sizes of scratchpads, in elements: 1 for every routine that PRISM has, since its temporary memory is
// its own. Those of routines that PRISM lacks throw unimplemented, as the routines do.
#pragma once

#include <oneapi/math/lapack/steps.hpp>

namespace oneapi::math::lapack {

#define PRISM_ONEMATH_SIZE(name, ...)                                                                        \
  template <typename T>                                                                                      \
  std::int64_t name##_scratchpad_size(sycl::queue&, __VA_ARGS__) {                                           \
    return detail::scratchpad;                                                                               \
  }

PRISM_ONEMATH_SIZE(geqrf, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(gerqf, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(gesvd, jobsvd, jobsvd, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
PRISM_ONEMATH_SIZE(getrf, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(getri, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(getrs, transpose, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(heevd, job, uplo, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(hegvd, std::int64_t, job, uplo, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(orgqr, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(ormqr, side, transpose, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
PRISM_ONEMATH_SIZE(ormrq, side, transpose, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
PRISM_ONEMATH_SIZE(potrf, uplo, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(potri, uplo, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(potrs, uplo, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(syevd, job, uplo, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(sygvd, std::int64_t, job, uplo, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(trtrs, uplo, transpose, diag, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(ungqr, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(unmqr, side, transpose, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
PRISM_ONEMATH_SIZE(unmrq, side, transpose, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
// Batches with strides, then in groups.
PRISM_ONEMATH_SIZE(geqrf_batch, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
PRISM_ONEMATH_SIZE(getrf_batch, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t)
PRISM_ONEMATH_SIZE(getri_batch, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(getrs_batch, transpose, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(orgqr_batch, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(potrf_batch, uplo, std::int64_t, std::int64_t, std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(potrs_batch, uplo, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(ungqr_batch, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                   std::int64_t, std::int64_t)
PRISM_ONEMATH_SIZE(geqrf_batch, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t, std::int64_t*)
PRISM_ONEMATH_SIZE(getrf_batch, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t, std::int64_t*)
PRISM_ONEMATH_SIZE(getri_batch, std::int64_t*, std::int64_t*, std::int64_t, std::int64_t*)
PRISM_ONEMATH_SIZE(getrs_batch, transpose*, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t*,
                   std::int64_t, std::int64_t*)
PRISM_ONEMATH_SIZE(orgqr_batch, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t,
                   std::int64_t*)
PRISM_ONEMATH_SIZE(potrf_batch, uplo*, std::int64_t*, std::int64_t*, std::int64_t, std::int64_t*)
PRISM_ONEMATH_SIZE(potrs_batch, uplo*, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t*,
                   std::int64_t, std::int64_t*)
PRISM_ONEMATH_SIZE(ungqr_batch, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t*, std::int64_t,
                   std::int64_t*)
#undef PRISM_ONEMATH_SIZE

#define PRISM_ONEMATH_MISSING(name)                                                                          \
  template <typename T, typename... Arguments>                                                               \
  std::int64_t name##_scratchpad_size(sycl::queue&, const Arguments&...) {                                   \
    throw unimplemented("LAPACK", #name "_scratchpad_size");                                                 \
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
