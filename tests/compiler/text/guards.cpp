// A guard of the global id is asked once for the group: the loop over the work-items of a group that all pass has no condition left
// and becomes vectors of the baseline, which has no masks. In the plain OpenCL C the question stands beside the guard.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, unsigned long n) {
  submit<class guarded>([=] {
    if (id() < n) y[id()] = x[id()] * 3;
  });
}
// OPENCL: get_local_size(0)
// OPENCL: |
// GROUP: define
// REMARKS: vectorized loop (vectorization width: 4
