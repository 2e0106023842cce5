// Expresses one operation as one call of the CBLAS: derives layout, transpositions, leading dimensions and
// increments from the operation's strides. A pure function of plain data. An operation that the CBLAS cannot
// express is refused with the reason.
#pragma once

#include "providers/cblas/functions.hpp"

#include <prism/provider.h>

#include <cstdint>

namespace prism_cblas {

struct call;
/// One call on first elements; `alpha` and `beta` are those of the run. Those of the LAPACK may throw
/// std::bad_alloc before they change anything.
using runner = void (*)(const call& what, const library& from, std::byte* const* first, const double* alpha,
                        const double* beta);

struct call {
  runner run = nullptr;
  int layout = column_major;
  int trans_a = no_transpose, trans_b = no_transpose;
  int uplo = 0, side = 0, diag = 0;
  int m = 0, n = 0, k = 0, below = 0, above = 0; // `below`, `above`: diagonals of a banded matrix
  int lda = 1, ldb = 1, ldc = 1, incx = 1, incy = 1;
  bool conjugated = false;                               // dotc, gerc
  std::int64_t batch = 1, step[PRISM_MAX_OPERANDS] = {}; // bytes from one batch's operand to the next's
  std::int64_t shift[PRISM_MAX_OPERANDS] =
      {};                               // bytes from the first element to where the CBLAS wants the pointer
  bool nothing = false;                 // there is nothing to write
  double work = 0;                      // multiplications, about
  prism_provider_operation described{}; // of the LAPACK's operations: all there is to know
};

/// Returns false with the reason in `why`, a string constant.
bool make_call(const library& from, const prism_provider_operation& what, call& out, const char*& why);

} // namespace prism_cblas
