// Captured values are passed by value, pointers through slots. Signed arithmetic stays signed. Only
// operations of one expression are fused.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, float a) {
  submit<class axpy>([=] { y[id()] = a * x[id()] + y[id()]; });
}
// OPENCL: // run(float*, float const*, float)::axpy
// OPENCL: typedef struct { ulong w[3]; } prism_block;
// OPENCL: __kernel void prism_k0_{{\w+}}(prism_block block, __global uchar* base0, ulong offset0, __global uchar* base1, ulong offset1)
// OPENCL: __global uchar* slot0 = base0 + offset0;
// OPENCL: #ifdef prism_a{{[0-9]+}}
// OPENCL: prism_know(((ulong)slot0 & (prism_a{{[0-9]+}} - 1)) == 0);
// OPENCL: #endif
// OPENCL: as_float((uint)block.w[{{\d}}])
// OPENCL: prism_mad_float(
// OPENCL-NOT: cl_khr_fp64
// SPIRV: OpCapability PhysicalStorageBufferAddresses
// SPIRV: OpMemoryModel PhysicalStorageBuffer64 Vulkan
// SPIRV: OpEntryPoint GLCompute
// SPIRV: OpConvertUToPtr
// SPIRV-NOT: OpCapability Float64
// OPENCL-NOT: prism_private_array
