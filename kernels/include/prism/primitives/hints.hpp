// What clang is told about loops and choices of the primitives; nothing to other compilers.
#pragma once

#if defined(__clang__)
/// In front of a loop with a small constant number of iterations: all of them in a row.
#define PRISM_UNROLL _Pragma("unroll")
/// In front of a loop over the 32 accumulators of a fold: two vectors of 16.
#define PRISM_TWO_VECTORS                                                                                    \
  _Pragma("clang loop unroll(disable) vectorize(assume_safety) vectorize_width(16) interleave_count(2)")
/// Around a condition that a processor guesses wrongly half of the time: no branches on it.
#define PRISM_UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define PRISM_UNROLL
#define PRISM_TWO_VECTORS
#define PRISM_UNPREDICTABLE(condition) (condition)
#endif
