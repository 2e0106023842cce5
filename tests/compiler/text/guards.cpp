// A guard of the global id is tested once for the group. The loop over the work-items of a group that all
// pass has no condition, and is vectorised for the baseline, which has no masks. In the plain OpenCL C the
// test is combined with the guard. A guard by a power of two, in 32 bits, is a test of bits for LLVM.
// Build options of a driver that has loops of its own choose its global id and leave the group's test out.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, unsigned long n) {
  submit<class guarded>([=] {
    if (id() < n) y[id()] = x[id()] * 3;
  });
  submit<class by_power>([=] {
    if (unsigned(id()) < 65536) y[unsigned(id())] = x[unsigned(id())] * 3;
  });
}
// OPENCL: #ifndef PRISM_GLOBAL_ID
// OPENCL: #define PRISM_ASKS_GROUP 1
// OPENCL: (ulong)PRISM_GLOBAL_ID(0);
// OPENCL: (bool)(PRISM_ASKS_GROUP & {{v[0-9]+}});
// OPENCL: |
// OPENCL: (ulong)PRISM_GLOBAL_ID(0);
// OPENCL: (bool)(PRISM_ASKS_GROUP & {{v[0-9]+}});
// OPENCL: |
// PARSED: -DPRISM_GLOBAL_ID=get_global_id -DPRISM_ASKS_GROUP=0
// GROUP: define
// REMARKS: vectorized loop (vectorization width: 4
