// Counts n floats in [-0.5, 0.5) into 256 bins: each work-group of 256 counts its grid-stride share into counts[group].
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(__global const float* x, __global float* counts, uint n) {
  __local uint mine[256];
  const uint l = get_local_id(0), stride = get_global_size(0);
  mine[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += stride) atomic_inc(&mine[min((uint)((x[i] + 0.5f) * 256.0f), 255u)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  counts[get_group_id(0) * 256 + l] = mine[l];
}
