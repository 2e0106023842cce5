// All work-items of a sub-group get the value of one of them: it is loaded once in front of the next loop
// over work-items, and is not stored for each work-item.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, const float* z) {
  submit<class one_lane>([=] {
    __prism_dimensions(1);
    const unsigned first = __prism_sub_group_shuffle_i32(__builtin_bit_cast(unsigned, x[id()]), 0);
    __prism_barrier(1);
    y[id()] = z[id()] * __builtin_bit_cast(float, first);
  });
}
// GROUP: = load float, ptr {{%\d+}}, align 4{{\n}}
