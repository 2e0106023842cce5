// Work-group memory has 32-bit addresses in SPIR-V: index computations use 32 bits, and unrolled accesses are
// one sum plus constants.
#include "tests/compiler/text/kernel.hpp"

void run(float* y) {
  submit<class tile>([=] {
    float* local = static_cast<float*>(__prism_local_arena());
    const std::size_t row = __prism_local_id(0) * 20;
    float sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += local[row + k + 1];
    y[id()] = sum;
  });
}
// OPENCL: tile
// SPIRV: OpIMul %uint {{%\d+}} %uint_{{(20|80)}}
// SPIRV: OpAccessChain %_ptr_Workgroup
// SPIRV-NOT: OpIMul %ulong {{%\d+}} %ulong_{{(20|80)}}
// SPIRV-NOT: OpIMul %uint {{%\d+}} %uint_{{(20|80)}}{{[\s\S]*}}OpIMul %uint {{%\d+}} %uint_{{(20|80)}}
