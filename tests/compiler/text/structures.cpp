// A sum in local memory over arrays that the kernel finds through a pointer to a structure, up to a bound for
// each work-item, in a kernel whose sub-groups synchronise. The pointers are read once for all work-items, the
// sum stays in a register, and work-items that are adjacent read adjacent elements.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

struct arrays {
  const float* x;
  const float* y;
};

void run(float* out, unsigned* finished, const arrays* a, int n, int each, std::size_t width) {
  submit<class sum>([=] {
    __prism_dimensions(1);
    auto* const mine = static_cast<float*>(__prism_local_arena()) + __prism_local_id(0) * width;
    const std::size_t first = __prism_group_id(0) * __prism_local_size(0) * each + __prism_local_id(0);
    const int last = int(first + each * __prism_local_size(0)), end = last < n ? last : n;
    *mine = 0;
    for (int i = int(first); i < end; i += int(__prism_local_size(0))) *mine += a->x[i] * a->y[i];
    __prism_sub_group_barrier(1);
    if (__prism_sub_group_local_id() == 0) __atomic_fetch_add(finished, 1u, __ATOMIC_RELAXED);
    __prism_barrier(3);
    out[id()] = *mine + mine[width];
  });
}
// GROUP: define void @prism.group.
// GROUP: load ptr, {{[^\n]*}}!invariant.load
// GROUP: load ptr, {{[^\n]*}}!invariant.load
// GROUP: load float
// GROUP-NOT: load float{{[^\n]*\n[^\n]*getelementptr[^\n]*\n[^\n]*load float[^\n]*\n(?:[^\n]+\n){1,4}[^\n]*store float[^\n]*\n(?:[^\n]+\n){0,6}[^\n]*icmp slt}}
// REMARKS: vectorized loop
