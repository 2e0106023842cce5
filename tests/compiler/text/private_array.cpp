// A kernel with private arrays has an attribute, which the build options define for drivers whose vectorisers compute such kernels
// wrong (Intel's for processors).
#include "tests/compiler/text/kernel.hpp"

void run(unsigned* p, unsigned n) {
  submit<class chooses>([=] {
    unsigned own[16], other[16];
    for (unsigned k = 0; k < 16; ++k) {
      own[k] = k + id();
      other[k] = k * n;
    }
    const unsigned* from = (id() & 1) ? own : other;
    p[id()] = from[n & 15];
  });
}
// OPENCL: #define prism_private_array
// OPENCL: prism_private_array __kernel void {{.*}}chooses
