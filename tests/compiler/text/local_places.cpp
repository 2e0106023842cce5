// The offset of a local accessor's memory is a captured number. A SPIR-V driver receives it as a constant, so
// that nothing of it lives across barriers. Elements, not bytes, are counted from there.
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x, std::size_t place) {
  submit<class turned>([=] {
    auto* parts = reinterpret_cast<float*>(static_cast<char*>(__prism_local_arena()) + place);
    const std::size_t l = __prism_local_id(0);
    parts[l] = x[id()];
    __prism_barrier(1);
    out[id()] = parts[255 - l];
  });
}
// OPENCL: turned
// SPIRV: SpecId 67
// SPIRV: OpSpecConstant %ulong 0
// SPIRV: OpSelect %ulong
// SPIRV: OpShiftRightLogical %uint
// SPIRV: OpAccessChain %_ptr_Workgroup
// SPIRV: OpAccessChain %_ptr_Workgroup
// SPIRV-NOT: OpShiftLeftLogical %uint
// SPIRV-NOT: OpShiftRightLogical %uint {{[\s\S]*}}OpShiftRightLogical %uint {{%}}
