// Up to 64 KiB of constants are arrays in OpenCL's constant memory.
#include "tests/compiler/text/kernel.hpp"

constexpr int square(int x) { return x * x; }
template <int N>
struct squares {
  int values[N];
  constexpr squares() : values() { for (int i = 0; i < N; ++i) values[i] = square(i) + N; }
};
constexpr squares<16380> large;
constexpr squares<4> small;

void run(int* y) {
  submit<class tables>([=] { y[id()] = large.values[y[id()] & 8191] + small.values[y[id()] & 3]; });
}
// OPENCL: __constant ulong prism_constant_0[8190]
// OPENCL: __constant ulong prism_constant_1[2]
// OPENCL-NOT: prism.data
