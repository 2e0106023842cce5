// The older name of <oneapi/math/blas.hpp>: namespace oneapi::mkl is oneapi::math.
#pragma once

#include <oneapi/math/blas.hpp>

namespace oneapi {
namespace mkl = math;
}
