// Loops that stride by the range or by the group are interchanged: their iterations become the outer loop,
// and the loop over the work-items is vectorised, for every type of the counter. Each of the five kernels
// has the text for CPU drivers. A 32-bit `k` to which a 64-bit value is added is a counter like any other, also
// below a constant, of whose bits LLVM then keeps fewer, or below a power of two, which LLVM tests by bits.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, int n, unsigned long m) {
  submit<class by_int>([=] {
    for (int k = int(id()); k < n; k += __prism_group_count(0) * __prism_local_size(0)) y[k] = x[k] * 3;
  });
  submit<class by_long>([=] {
    for (unsigned long k = id(); k < m; k += __prism_group_count(0) * __prism_local_size(0)) y[k] = x[k] * 3;
  });
  submit<class of_the_group>([=] {
    const unsigned long part = m / __prism_group_count(0), first = __prism_group_id(0) * part;
    for (unsigned long k = first + __prism_local_id(0); k < first + part; k += __prism_local_size(0)) y[k] = x[k] * 3;
  });
  submit<class below_constant>([=] {
    for (unsigned k = id(); k < 1048569; k += __prism_group_count(0) * __prism_local_size(0)) y[k] = x[k] * 3;
  });
  submit<class below_power>([=] {
    for (unsigned k = id(); k < 1048576; k += __prism_group_count(0) * __prism_local_size(0)) y[k] = x[k] * 3;
  });
}
// OPENCL: uint lx, uint ly{{[\s\S]*}}uint lx, uint ly{{[\s\S]*}}uint lx, uint ly{{[\s\S]*}}uint lx, uint ly{{[\s\S]*}}uint lx, uint ly
// REMARKS: vectorized loop
