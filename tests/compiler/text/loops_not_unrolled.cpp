// A loop that the program keeps from being unrolled is a loop with that pragma in OpenCL C too: drivers
// unroll loops of few iterations, and take seconds for large ones.
#include "tests/compiler/text/kernel.hpp"

void run(unsigned* y, const unsigned* x, int n) {
  submit<class of_the_driver>([=] {
    unsigned sum = 0;
    for (int k = 0; k < n; ++k) sum = sum * 25252u + x[id() * 24 + k];
    y[id()] = sum;
  });
  submit<class not_unrolled>([=] {
    unsigned sum = 0;
#pragma clang loop unroll(disable)
    for (int i = 0; i < n; ++i)
#pragma unroll 1
      for (int k = 0; k < 24; ++k) {
        if (x[k] > 3) goto ends;
        sum = sum * 35353u + x[id() * 24 + k];
      }
  ends:
    y[id()] = sum;
  });
}
// OPENCL: 25252u
// OPENCL: #pragma clang loop unroll(disable)
// OPENCL: for (bool again = true; again;) {
// OPENCL: #pragma clang loop unroll(disable)
// OPENCL: for (bool again = true; again;) {
// OPENCL: 35353u
// OPENCL-NOT: unroll(disable){{[\s\S]*}}25252u
// PARSED: -cl-std=CL1.2
