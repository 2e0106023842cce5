// The older name of <oneapi/math/blas.hpp>: namespace oneapi::mkl is oneapi::math. Without a layout in their
// names, oneMKL's routines are those for columns.
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
