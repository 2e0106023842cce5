// Optional features are requested only by kernels that use them.
#include "tests/compiler/text/kernel.hpp"

void run(double* y, long long* n) {
  submit<class doubles>([=] {
    y[id()] = y[id()] * 3.0;
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
  });
}
// OPENCL: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// OPENCL: #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
// OPENCL: as_double(0x4008000000000000ul)
// OPENCL: atom_add((volatile __global ulong*)
// SPIRV: OpCapability {{Int64Atomics|Float64}}
// SPIRV: OpFMul %double
// SPIRV: OpAtomicIAdd %ulong
