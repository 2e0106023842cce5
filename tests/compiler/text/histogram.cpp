// Atomic counts in local memory. On the host, and on CPU drivers with a work-group function, one thread runs
// a whole group. There the counts are plain additions, in a loop over adjacent work-items; elsewhere they
// stay atomic. If no work-item leaves the loop early, iterations have no test per work-item, although their
// index is the low half of an id: several iterations are executed at once, in one block.
#include "tests/compiler/text/kernel.hpp"

void run(unsigned* counts, const unsigned* x, unsigned n) {
  submit<class histogram>([=] {
    auto* mine = static_cast<unsigned*>(__prism_local_arena());
    mine[__prism_local_id(0)] = 0;
    __prism_barrier(1);
    const unsigned step = unsigned(__prism_group_count(0) * __prism_local_size(0));
    for (unsigned i = unsigned(id()); i < n; i += step) __atomic_fetch_add(&mine[x[i] & 255u], 1u, __ATOMIC_RELAXED);
    __prism_barrier(1);
    counts[id()] = mine[__prism_local_id(0)];
  });
}
// OPENCL: atomic_add((volatile __local uint*)
// OPENCL: prism_block
// OPENCL-NOT: atomic_add({{[\s\S]*}}atomic_add(
// GROUP: define void @prism.group.
// GROUP: store i32 {{[^\n]*\n(?:[^\n]+\n){1,20}?}}  store i32
// GROUP-NOT: atomicrmw
// GROUP-NOT: !llvm.access.group{{[^\n]*\n[^\n]*add i32 [^\n]*, 1\n[^\n]*store i32[^\n]*!llvm.access.group}}
// SPIRV: OpAtomicIAdd
