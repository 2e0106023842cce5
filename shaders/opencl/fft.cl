// Fourier transforms of 256 complex numbers, one for each work-group of 128, in local memory: Stockham, radix 2.
// turns[i] = (cos, -sin) of i/256 of a turn.
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fft(__global const float2* in, __global const float2* turns, __global float2* out) {
  __local float2 parts[512];
  const uint t = get_local_id(0), begin = get_group_id(0) * 256;
  parts[t] = in[begin + t];
  parts[t + 128] = in[begin + t + 128];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint from = 0;
  for (uint m = 1; m < 256; m *= 2) {
    const uint first = t & ~(m - 1), to = 256 - from + t + first;
    const float2 a = parts[from + t], b = parts[from + t + 128], w = turns[first], d = a - b;
    parts[to] = a + b;
    parts[to + m] = (float2)(w.x * d.x - w.y * d.y, w.x * d.y + w.y * d.x);
    from = 256 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[begin + t] = parts[from + t];
  out[begin + t + 128] = parts[from + t + 128];
}
