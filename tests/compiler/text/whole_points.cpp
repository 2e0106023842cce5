// Barriers of a sub-group in loops that all of its work-items execute equally often have no second region for
// some of them (partial_points.cpp).
#include "tests/compiler/text/kernel.hpp"

void run(float* y, unsigned n) {
  submit<class rows>([=] {
    __prism_dimensions(1);
    for (unsigned i = 0; i < n; i += 32) {
      y[i + id()] += 1;
      __prism_sub_group_barrier(3);
    }
  });
}
// GROUP-NOT: load i8
