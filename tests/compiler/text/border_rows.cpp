// A border of rows whose indices are computed in 32 bits. Both paths to the store compute the index, and LLVM
// does not see that it is the same. Adjacent work-items nevertheless store to adjacent memory, without a
// scatter.
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x) {
  submit<class border_rows>([=] {
    const unsigned j = unsigned(id()), here = unsigned(__prism_group_id(1)) * 2048u + j;
    __prism_barrier(1);
    out[here] = j == 0 || j == 2047 ? x[here] : 0.5f * (x[here - 1] + x[here + 1]);
  });
}
// HOST: define internal void @prism.group.{{[^\n]*}}.v4
// HOST: <16 x float>
// HOST-NOT: masked.scatter
