// A work-item that keeps a tile of a matrix in registers from one iteration to the next stays as written. Its
// loop over k is not interchanged, because that would store each element of the tile in memory. It is
// vectorised with the widest registers.
// FLAGS: -O3
#include "tests/compiler/text/kernel.hpp"

void run(float* c, const float* a, const float* b, int steps) {
  submit<class tile>([=] {
    constexpr int rows = 6, columns = 32;
    const unsigned long group = __prism_group_id(0);
    const float *left = a + group * rows, *right = b;
    float sum[rows][columns];
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int x = 0; x < columns; ++x) sum[r][x] = 0;
    for (int k = 0; k < steps; ++k, left += rows, right += columns) {
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int x = 0; x < columns; ++x) sum[r][x] += left[r] * right[x];
    }
    float* to = c + group * rows * columns;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int x = 0; x < columns; ++x) to[r * columns + x] = sum[r][x];
  });
}
// GROUP: phi float {{[\s\S]*}}phi float {{[\s\S]*}}phi float
// HOST: call <16 x float> @llvm.fmuladd.v16f32
