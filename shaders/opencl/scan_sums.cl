// Each work-group of 256 adds up its chunk of x into sums[group].
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan_sums(__global const float* x, __global float* sums, uint chunk) {
  __local float parts[256];
  const uint l = get_local_id(0), begin = get_group_id(0) * chunk;
  float sum = 0;
  for (uint i = l; i < chunk; i += 256) sum += x[begin + i];
  parts[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = 128; half_size > 0; half_size /= 2) {
    if (l < half_size) parts[l] += parts[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = parts[0];
}
