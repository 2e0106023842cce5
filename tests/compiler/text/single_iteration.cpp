// Two loops over tiles, strided by the number of groups, with conditions on indices of 32 bits: groups for which each
// loop executes once have a copy without loops, whose rows become vectors.
// FLAGS: -Rpass=loop-vectorize
#include "tests/compiler/text/kernel.hpp"

void run(float* out, const float* in, const long* upper, const long* width, const long* tiles, long columns) {
  const long upper0 = upper[0], upper1 = upper[1], width0 = width[0], width1 = width[1], tiles0 = tiles[0], tiles1 = tiles[1];
  submit<class box>([=] {
    __prism_dimensions(2);
    const int x = static_cast<int>(__prism_local_id(0)), y = static_cast<int>(__prism_local_id(1));
    for (int t1 = static_cast<int>(__prism_group_id(1)); t1 < tiles1; t1 += static_cast<int>(__prism_group_count(1))) {
      const int row = static_cast<int>(t1 * width1 + y);
      if (row < upper1 && y < width1)
        for (int t0 = static_cast<int>(__prism_group_id(0)); t0 < tiles0; t0 += static_cast<int>(__prism_group_count(0))) {
          const int column = static_cast<int>(t0 * width0 + x);
          if (column < upper0 && x < width0) out[row * columns + column] = in[row * columns + column] * 2;
        }
    }
  });
}
// REMARKS: vectorized loop
