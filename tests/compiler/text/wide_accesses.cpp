// Adjacent numbers are also written as one access of a vector, which a device's build options choose. A store
// stands where the last part does, by that part's pointer. Parts of two types stay as they are.
#include "tests/compiler/text/kernel.hpp"

struct alignas(8) pair {
  float x, y;
};
struct alignas(8) numbered {
  float x;
  unsigned number;
};

void run(pair* y, const pair* x, numbered* z) {
  submit<class pairs>([=] {
    const pair own = x[id()];
    y[id()] = {own.x * 2, own.y * own.x};
  });
  submit<class two_types>([=] {
    const numbered own = z[id()];
    z[id() + 1] = {own.x * 2, own.number * 3};
  });
}
// OPENCL: #ifdef prism_wide
// OPENCL: prism_load2(__global, float2, {{v[0-9]+, v[0-9]+, v[0-9]+}});
// OPENCL: prism_part({{v[0-9]+}} = *(__global prism_float*)({{v[0-9]+}}));
// OPENCL: prism_part({{v[0-9]+}} = *(__global prism_float*)({{v[0-9]+}}));
// OPENCL: prism_store2(__global, float2, {{v[0-9]+}} - 4, {{v[0-9]+, v[0-9]+}});
// OPENCL: two_types
// OPENCL: = *(__global prism_uint*)({{v[0-9]+}});
// OPENCL-NOT: uint2
// PARSED: -Dprism_wide
