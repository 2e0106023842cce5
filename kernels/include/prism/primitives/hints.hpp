// Hints to clang about loops and selections in the primitives; empty for other compilers.
#pragma once

#if defined(__clang__)
/// Before a loop with a small constant number of iterations: unroll it completely.
#define PRISM_UNROLL _Pragma("unroll")
/// Before a loop over the 32 accumulators of a fold: two vectors of 16.
#define PRISM_TWO_VECTORS                                                                                    \
  _Pragma("clang loop unroll(disable) vectorize(assume_safety) vectorize_width(16) interleave_count(2)")
/// Around a condition that a processor mispredicts half of the time: no branch.
#define PRISM_UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define PRISM_UNROLL
#define PRISM_TWO_VECTORS
#define PRISM_UNPREDICTABLE(condition) (condition)
#endif
