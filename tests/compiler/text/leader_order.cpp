// The first work-item of a sub-group stores behind all others of its sub-group if they may store to the same memory: a
// loop over work-items ends between the two stores. If the memory is another, both stores are in one loop.
#include "tests/compiler/text/kernel.hpp"


void run(float* y, float* sums) {
  submit<class same_memory>([=] {
    __prism_sub_group_barrier(1);
    const unsigned lane = unsigned(__prism_sub_group_local_id());
    y[id()] = 12345;
    if (lane == 0) y[5] = 54321;
  });
  submit<class other_memory>([=] {
    __prism_sub_group_barrier(1);
    const unsigned lane = unsigned(__prism_sub_group_local_id());
    y[id()] = 23456;
    if (lane == 0) sums[0] = 65432;
  });
}
// GROUP: store float 1.234500e+04
// GROUP: !llvm.loop
// GROUP: store float 5.432100e+04
// GROUP: store float 2.345600e+04
// GROUP-NOT: 2.345600e+04{{[\s\S]*}}!llvm.loop{{[\s\S]*}}6.543200e+04
