// oneMath's interface over PRISM's operations, so that a program written for <oneapi/math.hpp> compiles
// unchanged. Link prism::onemath; the program's compiler is prism++.
//
// What is there: linear algebra of BLAS (<oneapi/math/blas.hpp>) and LAPACK (<oneapi/math/lapack.hpp>),
// sparse BLAS, Fourier transforms (<oneapi/math/dft.hpp>), random numbers (<oneapi/math/rng.hpp>). A routine
// that PRISM lacks throws oneapi::math::unimplemented with its name when it is called. docs/onemath.md lists
// both.
#pragma once

#include <oneapi/math/blas.hpp>
#include <oneapi/math/dft.hpp>
#include <oneapi/math/exceptions.hpp>
#include <oneapi/math/lapack.hpp>
#include <oneapi/math/rng.hpp>
#include <oneapi/math/sparse_blas.hpp>
#include <oneapi/math/types.hpp>
