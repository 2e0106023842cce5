// The older name of oneMath's interface: namespace oneapi::mkl is oneapi::math.
#pragma once

#include <oneapi/math.hpp>

namespace oneapi {
namespace mkl = math;
}
