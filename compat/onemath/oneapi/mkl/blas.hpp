// The older name of <oneapi/math/blas.hpp>: namespace oneapi::mkl is oneapi::math. oneMKL's routines
// without a layout in their names take matrices by columns.
#pragma once

#include <oneapi/math/blas.hpp>

namespace oneapi {
namespace math {
namespace blas {
using namespace column_major;
}
} // namespace math::blas
namespace mkl = math;
}
