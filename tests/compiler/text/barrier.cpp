// A barrier after an if without effect stays where it is and is not duplicated.
#include "tests/compiler/text/kernel.hpp"

inline void wait() { __prism_barrier(1); }

void run(int* p, int n) {
  submit<class exchange>([=] {
    int* local = static_cast<int*>(__prism_local_arena());
    local[__prism_local_id(0)] = n > 3 ? p[id()] : p[0];
    wait();
    p[id()] = local[__prism_local_size(0) - 1 - __prism_local_id(0)];
  });
}
// OPENCL: __local ulong16* arena_start
// OPENCL: barrier(CLK_LOCAL_MEM_FENCE)
// OPENCL-NOT: barrier({{[\s\S]*}}barrier(
// SPIRV: OpControlBarrier
// SPIRV-NOT: OpControlBarrier{{[\s\S]*}}OpControlBarrier
