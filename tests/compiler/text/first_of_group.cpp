// The first work-item of a group stores its sum: in a kernel with sub-groups the loop over a sub-group's
// work-items ends behind it.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x) {
  submit<class first_of_group>([=] {
    __prism_dimensions(1);
    const unsigned lane = __prism_sub_group_local_id();
    const unsigned mine = __builtin_bit_cast(unsigned, x[id()]);
    const float sum = x[id()] + __builtin_bit_cast(float, __prism_sub_group_shuffle_i32(mine, lane ^ 1));
    if (__prism_local_id(0) == 0) y[__prism_group_id(0)] = sum * 54321;
  });
}
// GROUP: 5.432100e+04
// GROUP: br i1 false, label {{%\d+}}, label {{%\d+}}, !llvm.loop
