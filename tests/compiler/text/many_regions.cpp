// In a kernel of more than 48 loops over work-items each loop becomes a function of its own, because clang takes
// more than linear time for a function of many loops. The kernel's function keeps none. Its functions know that
// work-items do not access each other's memory, and a private array that one of them uses is its own.
#include "tests/compiler/text/kernel.hpp"

#define STEP(n)                                                                                              \
  parts[l] = x * n + parts[l + n];                                                                           \
  __prism_barrier(1);                                                                                        \
  x += parts[l + n] * factors[l];                                                                            \
  __prism_barrier(1);
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4)

void run(float* out, const float* factors, const int* order) {
  submit<class many_regions>([=] {
    auto* parts = static_cast<float*>(__prism_local_arena());
    const unsigned l = unsigned(__prism_local_id(0));
    float x = factors[id()];
    STEPS(1) STEPS(6) STEPS(11) STEPS(16) STEPS(21)
    float own[4] = {x, 1, 2, 3};
    own[order[l] & 3] += x;
    out[id()] = own[order[l + 1] & 3];
  });
}
// GROUP: define void @prism.group{{[^}]*}}region.50(
// GROUP-NOT: define void @prism.group{{[^}]*}}alloca
// GROUP-NOT: define void @prism.group{{[^}]*}}phi
// GROUP: !llvm.access.group
// GROUP: alloca [4 x float]
// HOST: tail call fastcc void @prism.group{{.*}}.v3(
// HOST-NOT: unreachable
