// oneMath's BLAS over <prism/blas.hpp>: namespaces oneapi::math::blas::column_major and row_major.
//
// Each routine takes oneMath's arguments in its order, over USM pointers (with a list of events, and an event
// as the result) or over buffers (without either). Routines are templates over the element type, where
// oneMath has overloads: calls are the same, addresses of routines are not to be had. float, double and
// std::complex of both; gemm and gemm_batch with strides also half, bfloat16 and int8; other types throw
// unimplemented.
//
// Errors: invalid_argument for extents, leading dimensions and null pointers that cannot be,
// unsupported_device where the device lacks the type, and for banded and packed matrices where no provider
// computes them, unimplemented for a routine of blas/missing.inc. What goes wrong on the device is an
// asynchronous error of the queue. Threads: as in <prism/blas.hpp>.
#pragma once

#include <oneapi/math/blas/operand.hpp>

#include <prism/blas.hpp>
#include <prism/linalg.hpp>

namespace oneapi::math::blas {

namespace column_major {
inline constexpr bool rows_first = false;
#include <oneapi/math/blas/routines.inc>
#include <oneapi/math/blas/banded_packed.inc>
#include <oneapi/math/blas/batches.inc>
#include <oneapi/math/blas/missing.inc>
} // namespace column_major

namespace row_major {
inline constexpr bool rows_first = true;
#include <oneapi/math/blas/routines.inc>
#include <oneapi/math/blas/banded_packed.inc>
#include <oneapi/math/blas/batches.inc>
#include <oneapi/math/blas/missing.inc>
} // namespace row_major

} // namespace oneapi::math::blas
