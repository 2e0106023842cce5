// oneMath's enumerations, with the values of its specification (BLAS section).
#pragma once

#include <sycl/sycl.hpp>

namespace oneapi::math {

using bfloat16 = sycl::ext::oneapi::bfloat16;

enum class transpose : char { nontrans = 0, trans = 1, conjtrans = 3, N = 0, T = 1, C = 3 };
enum class uplo : char { upper = 0, lower = 1, U = 0, L = 1 };
enum class diag : char { nonunit = 0, unit = 1, N = 0, U = 1 };
enum class side : char { left = 0, right = 1, L = 0, R = 1 };
enum class offset : char { row = 0, column = 1, fix = 2, R = 0, C = 1, F = 2 };
enum class layout : char { row_major = 0, col_major = 1, R = 0, C = 1 };

} // namespace oneapi::math
