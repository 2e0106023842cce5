// A constant of more than a few words is data of the SPIR-V module, which drivers ignore, and is read at an
// address. It is not an array with one value per element, for which llvmpipe needs time that grows with the
// square. A small constant stays an array. In OpenCL C more than 64 KiB of constants are data, too, because
// drivers (NVIDIA) have no more constant memory.
#include "tests/compiler/text/kernel.hpp"

constexpr int square(int x) { return x * x; }
template <int N>
struct squares {
  int values[N];
  constexpr squares() : values() { for (int i = 0; i < N; ++i) values[i] = square(i) + N; }
};
constexpr squares<16384> large;
constexpr squares<4> small;

void run(int* y) {
  submit<class tables>([=] { y[id()] = large.values[y[id()] & 16383] + small.values[y[id()] & 3]; });
}
// OPENCL: , __global uchar* constants
// OPENCL: __global uchar* prism_constant_0 = constants + 0ul;
// OPENCL: __global uchar* prism_constant_1 = constants + 65536ul;
// OPENCL: //prism.data:
// OPENCL-NOT: __constant
// SPIRV: OpString "prism.data:
// SPIRV: OpConstantComposite %_arr_uint_uint_4
// SPIRV: OpVariable %_ptr_Function__arr_uint_uint_4 Function
// SPIRV-NOT: %_arr_uint_uint_16384
