// A grid-stride loop with 64-bit counters in the source. SPIR-V counts in 32 bits if the bound fits, tests
// before each iteration, has no product in the loop, and reads captured values before any branch.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, unsigned n, std::size_t pitch) {
  submit<class strided>([=] {
    const std::size_t step = __prism_group_count(0) * __prism_local_size(0);
    float sum = 0;
    for (std::size_t i = id(); i < n; i += step) sum += x[i * pitch];
    y[id()] = sum;
  });
}
// OPENCL: strided
// SPIRV: OpFunction
// SPIRV: OpPhi %uint
// SPIRV: OpULessThan %bool
// SPIRV: OpLoopMerge
// SPIRV-NOT: OpLoopMerge{{[\s\S]*}}OpIMul %ulong
// SPIRV-NOT: OpLoopMerge{{[\s\S]*}}OpULessThan %bool {{%\d+}} %ulong
// SPIRV-NOT: OpSelectionMerge{{[\s\S]*}}OpSelectionMerge{{[\s\S]*}}OpLoad %ulong {{%\d+}} Aligned 8
