// The older name of <oneapi/math/dft.hpp>: namespace oneapi::mkl is oneapi::math.
#pragma once

#include <oneapi/math/dft.hpp>

namespace oneapi {
namespace mkl = math;
}
