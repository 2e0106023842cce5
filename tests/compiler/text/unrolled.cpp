// #pragma unroll and __restrict are accepted; a short loop disappears.
// FLAGS: -Wall -Wextra -Werror
#include "tests/compiler/text/kernel.hpp"

void run(float* __restrict y, const float* __restrict x) {
  submit<class unrolled>([=] {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum += x[id() * 4 + i];
    y[id()] = sum;
  });
}
// OPENCL: prism_float
// OPENCL-NOT: goto
// SPIRV: OpFAdd
// SPIRV-NOT: OpLoopMerge
