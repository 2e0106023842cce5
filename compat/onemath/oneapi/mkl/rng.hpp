// The older name of <oneapi/math/rng.hpp>: namespace oneapi::mkl is oneapi::math.
#pragma once

#include <oneapi/math/rng.hpp>

namespace oneapi {
namespace mkl = math;
}
