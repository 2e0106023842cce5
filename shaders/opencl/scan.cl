// Prefix sums: each work-group of 256 scans its chunk of x from the sums of the chunks before (Hillis and Steele, 1986).
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scan(__global const float* x, __global const float* sums, __global float* out, uint chunk) {
  __local float parts[512];
  const uint l = get_local_id(0), begin = get_group_id(0) * chunk;
  float before = 0;
  for (uint i = 0; i < get_group_id(0); ++i) before += sums[i];
  for (uint i = 0; i < chunk; i += 256) {
    uint from = 0;
    parts[l] = x[begin + i + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint apart = 1; apart < 256; apart *= 2) {
      const float here = parts[from + l];
      parts[(256 - from) + l] = l >= apart ? here + parts[from + l - apart] : here;
      from = 256 - from;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[begin + i + l] = before + parts[from + l];
    before += parts[from + 255];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
