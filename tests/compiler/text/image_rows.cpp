// Adjacent elements of a picture whose width is a power of two, with a number in 32 bits that a guard bounds: the loop
// over work-items is vectorised without gathers. LLVM writes the number as `(y << 10) | x` in 64 bits; it must become a
// sum again, and the text must take it as the number of a typed element.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x) {
  submit<class picture>([=] {
    const int row = int(__prism_group_id(1) * __prism_local_size(1) + __prism_local_id(1)), column = int(id());
    if (row > 0 && row < 1000 && column > 0 && column < 1023) {
      const int k = row * 1024 + column;
      y[k] = x[k - 1] + x[k + 1];
    }
  });
  submit<class row_loops>([=] {
    const int row = int(__prism_group_id(1) * __prism_local_size(1) + __prism_local_id(1)), column = int(id());
    if (row < 1 || column < 1 || row > 126 || column > 126) return;
    for (int level = 1; level < 63; ++level) {
      const int k = (level * 128 + row) * 128 + column;
      y[k] = x[k - 1] + x[k + 1];
    }
  });
}
// OPENCL: (__global uint*)v
// OPENCL-NOT: = v{{\d+}} | v
// REMARKS: vectorized loop
