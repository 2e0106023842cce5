// C = A B for row-major n x n floats, n a multiple of 16: 16 x 16 tiles in local memory.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void gemm(__global const float* a, __global const float* b, __global float* c, uint n) {
  __local float ta[16][16], tb[16][16];
  const uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < n; k += 16) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 16; ++i) sum += ta[y][i] * tb[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
