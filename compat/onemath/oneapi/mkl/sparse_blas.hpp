// The older name of <oneapi/math/sparse_blas.hpp>: namespace oneapi::mkl is oneapi::math.
#pragma once

#include <oneapi/math/sparse_blas.hpp>

namespace oneapi {
namespace mkl = math;
}
