// Values that live across barriers. If a kernel does little else, then PoCL gets the plain text only, which it builds
// as fast as such a kernel by hand. In a loop the work-group function stays.
#include "tests/compiler/text/kernel.hpp"

#define EIGHT(step, k) step(k##0) step(k##1) step(k##2) step(k##3) step(k##4) step(k##5) step(k##6) step(k##7)
#define ALL(step) EIGHT(step, 1) EIGHT(step, 2) EIGHT(step, 3) EIGHT(step, 4) EIGHT(step, 5) EIGHT(step, 6)
#define READ(k) int x##k = x[id() + k];
#define MIX(k) x##k ^= x##k * last + k; last = x##k;
#define SUM(k) r = r * 31 + x##k;
#define PHASE ALL(MIX) __prism_barrier(1);

void run(int* out, const int* x) {
  submit<class in_a_line>([=] {
    ALL(READ)
    int last = 1, r = 0;
    PHASE PHASE PHASE PHASE PHASE PHASE
    ALL(SUM)
    out[id()] = r;
  });
  submit<class in_a_loop>([=] {
    ALL(READ)
    int last = 1, r = 0;
    for (int k = 0; k < x[0]; ++k) {
      PHASE PHASE PHASE PHASE PHASE PHASE
    }
    ALL(SUM)
    out[id()] = r;
  });
}
// OPENCL-NOT: reqd_work_group_size(1, 1, 1))) void prism_k0_
// OPENCL: reqd_work_group_size(1, 1, 1))) void prism_k1_
// GROUP: @prism.group.prism_k0_
// GROUP: @prism.group.prism_k1_
