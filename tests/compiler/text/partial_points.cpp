// A barrier of a sub-group in a loop whose iterations differ between its work-items has a second region. It
// skips those that wait behind the loop: it reads the number of the point where each waits. Where the
// iterations are the same there is none: whole_points.cpp.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, unsigned n) {
  submit<class rows>([=] {
    __prism_dimensions(1);
    for (unsigned i = unsigned(__prism_sub_group_local_id()); i < n; i += 32) {
      y[i] += 1;
      __prism_sub_group_barrier(3);
    }
  });
}
// GROUP: load i8
// GROUP: call i32 @llvm.umin.i32(
