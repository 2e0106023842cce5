// A guard inside a strided loop is asked once for the group in each round: the loop over the work-items that all pass becomes
// vectors of the baseline, which has no masks.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, unsigned long n) {
  submit<class strided>([=] {
    for (unsigned long k = id(); k < n; k += __prism_group_count(0) * __prism_local_size(0))
      if (k > 0 && k < n - 1) y[k] = x[k - 1] + x[k + 1];
  });
}
// HOST: define internal void @prism.group.{{[^\n]*}}.plain(
// HOST: fadd <{{\d}} x float>
