// oneMath's enumerations, with the values of its specification (BLAS, LAPACK and sparse BLAS sections).
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
enum class index_base : char { zero = 0, one = 1 };

enum class job : char {
  novec = 0,
  vec = 1,
  updatevec = 2,
  allvec = 3,
  somevec = 4,
  overwritevec = 5,
  N = 0,
  V = 1,
  U = 2,
  A = 3,
  S = 4,
  O = 5
};
enum class jobsvd : char { novec = 0, vectors = 1, vectorsina = 2, somevec = 3, N = 0, A = 1, O = 2, S = 3 };
enum class generate : char { q = 0, p = 1, none = 2, both = 3, Q = 0, P = 1, N = 2, V = 3 };

} // namespace oneapi::math
