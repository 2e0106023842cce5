// `if (i == 0)` and `x[i - 1]` by an `int` that is the low half of an id. LLVM writes the test as one of the low
// bits and the element as shifts of 64 bits. In the work-group function the group tests whether any work-item
// is at the edge; the OpenCL C shows its compiler that elements are adjacent.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x) {
  submit<class edge>([=] {
    const int i = int(id());
    if (i == 0) y[i] = 0;
    else y[i] = x[i] - x[i - 1];
  });
}
// OPENCL-NOT: (uint)30ul
// OPENCL-NOT: ^ 0x80000000ul
// OPENCL: != 0u
// GROUP: store float %
// GROUP: store float 0.0
// GROUP: store float %
