// A kernel with a pointer to one of two private arrays has an attribute that the build options of drivers define whose vectorisers
// take such a pointer to be the same for all work-items (Intel's for processors).
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
// OPENCL: #define prism_private_choice
// OPENCL: prism_private_choice __kernel void {{.*}}chooses
