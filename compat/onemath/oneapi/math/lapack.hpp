// oneMath's LAPACK over <prism/linalg.hpp>: namespace oneapi::math::lapack, matrices by columns.
//
// Each routine takes oneMath's arguments in its order, over USM pointers (with a list of events, and an event
// as the result) or over buffers (without either). Routines are templates over the memory, as in
// <oneapi/math/blas.hpp>. float, double and std::complex of both. Pivots count from 1. The scratchpad is not
// used: its size is 1.
//
// Errors: lapack::invalid_argument for extents and leading dimensions that cannot be, unsupported_device
// where the device lacks the type, unimplemented for a routine of lapack/missing.inc. A matrix that is
// singular or not positive definite, and an iteration that does not converge, are asynchronous errors of the
// queue, lapack::computation_error (lapack::batch_error for a batch), since they are known when the device is
// done.
#pragma once

#include <oneapi/math/lapack/routines.hpp>
#include <oneapi/math/lapack/batches.hpp>
#include <oneapi/math/lapack/scratchpads.hpp>
