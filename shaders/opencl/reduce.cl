// Partial sums: each work-group of 256 adds its grid-stride share of n floats into partial[group].
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce(__global const float* x, __global float* partial, uint n) {
  __local float sums[256];
  const uint l = get_local_id(0), stride = get_global_size(0);
  float sum = 0;
  for (uint i = get_global_id(0); i < n; i += stride) sum += x[i];
  sums[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    if (l < half_size) sums[l] += sums[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) partial[get_group_id(0)] = sums[0];
}
