// A table of pointers to work-group and global memory: they become numbers with a tag, and an access tests
// it. Pointers that never meet others in memory stay unchanged.
#include "tests/compiler/text/kernel.hpp"

void run(int* p, int n) {
  submit<class table>([=] {
    int* local = static_cast<int*>(__prism_local_arena());
    int* pointers[4] = {local, p, local + 1, p + 1};
    __prism_barrier(1);
    p[id()] = *pointers[n & 3];
  });
}
// OPENCL: __local ulong16* arena_start
// OPENCL: {{v\d+ = v\d+ \| 6341068275337658368ul;}}
// OPENCL: {{v\d+ = \(ulong\)\(v\d+ >> \(uint\)59ul\);}}
// OPENCL: {{v\d+ = v\d+ == 11ul;}}
// OPENCL: *(__local prism_uint*)
// OPENCL: *(__global prism_uint*)
// SPIRV: OpAccessChain %_ptr_Workgroup_uint
// SPIRV: OpConvertUToPtr %_ptr_PhysicalStorageBuffer_uint
