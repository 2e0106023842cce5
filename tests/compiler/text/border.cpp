// Comparisons with two constants, which LLVM turns into a switch, around accesses of adjacent elements: the
// loop is vectorised if the instruction set has masks.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x) {
  submit<class border>([=] {
    const unsigned j = unsigned(id());
    __prism_barrier(1);
    out[j] = j == 0 || j == 2047 ? x[j] : 0.5f * (x[j - 1] + x[j + 1]);
  });
}
// GROUP: switch i32
// REMARKS: vectorized loop (vectorization width: 16
