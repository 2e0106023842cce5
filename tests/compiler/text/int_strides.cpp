// A grid-stride loop by `int` in which a work-item reads and writes its own element. The index is an extended
// sum of 32 bits: LLVM checks at run time that it does not wrap. The loops over work-items are parallel, as
// with 64 bits: an access at an adjacent element never is part of a group of accesses that LLVM reorders.
#include "tests/compiler/text/kernel.hpp"

void run(float* y, const float* x, int n) {
  submit<class strides>([=] {
    const int step = int(__prism_group_count(0) * __prism_local_size(0));
    for (int i = int(id()); i < n; i += step)
      if (x[i] > 0.5f) y[i] = x[i] * 2.0f;
      else y[i] = x[i] * 3.0f + y[i];
  });
}
// OPENCL: #pragma clang loop vectorize(assume_safety){{\n(?:(?!again;\)|goto b\d+;\n  }\n)[\s\S])*}}for (bool again = true; again;) {{{(?:(?!\n  again = )[\s\S])*}}as_float(0x3F000000u)
// OPENCL-NOT: {{(?<!assume_safety\))\n  for \(bool again = true; again;\) \{(?:(?!\n  again = )[\s\S])*as_float\(0x3F000000u\)}}
// GROUP: load float
// GROUP-NOT: {{load float(?![^\n]*!llvm.access.group)}}
