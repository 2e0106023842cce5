// A kernel that sums products of packed bytes: an instruction in SPIR-V; in OpenCL C the driver's function,
// where the runtime says that it has one, or shifts. The host computes the products in vectors of words.
#include "tests/compiler/text/kernel.hpp"

void multiply(std::uint32_t* sums, const std::uint32_t* a, const std::uint32_t* b) {
  submit<class multiplied>([=] {
    sums[id()] += __prism_dot4_uu(a[id()], b[id()]) + __prism_dot4_su(a[id()], b[id()]) +
                  __prism_dot4_ss(a[id()], b[id()]);
  });
}
// OPENCL: #if (PRISM_DOT_PRODUCTS + 0)
// OPENCL: uint prism_dot4_ss(uint a, uint b) {
// OPENCL: return (uint)dot_4x8packed_ss_int(a, b);
// OPENCL: return (uint)dot_4x8packed_uu_uint(a, b);
// OPENCL: #else
// OPENCL: return (uint)(int)(char)(a) * (uint)(int)(char)(b) + (uint)(int)(char)(a >> 8) *
// OPENCL: prism_dot4_uu(
// OPENCL: prism_dot4_su(
// OPENCL: prism_dot4_ss(
// SPIRV: OpCapability DotProductInput4x8BitPacked
// SPIRV: OpCapability DotProduct
// SPIRV: OpExtension "SPV_KHR_integer_dot_product"
// SPIRV: OpUDot
// SPIRV: OpSUDot
// SPIRV: OpSDot
// HOST: ashr exact <
