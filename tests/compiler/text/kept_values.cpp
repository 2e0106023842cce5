// Across a barrier a work-item stores the values that it has loaded. It does not store an index that derives
// from its id, captured values and uniform values, such as the counter of a loop around the barrier. After
// the barrier the index is recomputed, and vectors need no gathers.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* x, const float* factors, unsigned begin, unsigned size) {
  submit<class turn>([=] {
    auto* parts = static_cast<float*>(__prism_local_arena());
    const unsigned l = unsigned(__prism_local_id(0));
    for (unsigned i = 0; i < size; i += 64) {
      const unsigned at = begin + i + l;
      const float factor = factors[at];
      parts[l] = x[at];
      __prism_barrier(1);
      out[at] = parts[63 - l] * factor;
      __prism_barrier(1);
    }
  });
}
// GROUP: define void @prism.group.
// GROUP: [4 x i8]
// GROUP: store float
// GROUP-NOT: store i64
// GROUP-NOT: store i32 %{{[^\n]*access.group}}
// REMARKS: vectorized loop
