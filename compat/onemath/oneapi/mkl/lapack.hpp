// The older name of <oneapi/math/lapack.hpp>: namespace oneapi::mkl is oneapi::math.
#pragma once

#include <oneapi/math/lapack.hpp>

namespace oneapi {
namespace mkl = math;
}
