// In a kernel of more than 48 loops over work-items clang makes vectors of the loops, but neither interleaves
// nor unrolls them: its register allocator takes more than linear time for the copies of their bodies.
// FLAGS: -Rpass=loop-(vectorize|unroll)
#include "tests/compiler/text/kernel.hpp"

#define STEP(n)                                                                                              \
  parts[l] = x * n + parts[l + n];                                                                           \
  __prism_barrier(1);                                                                                        \
  x += parts[l + n] * factors[l];                                                                            \
  __prism_barrier(1);
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4)

void run(float* out, const float* factors) {
  submit<class many_barriers>([=] {
    auto* parts = static_cast<float*>(__prism_local_arena());
    const unsigned l = unsigned(__prism_local_id(0));
    float x = factors[id()];
    STEPS(1) STEPS(6) STEPS(11) STEPS(16) STEPS(21)
    out[id()] = x;
  });
}
// REMARKS: interleaved count: 1)
// REMARKS-NOT: interleaved count: {{[2-9]}}
// REMARKS-NOT: unrolled loop
