// Fourier transforms of 256 complex numbers, one for each block of 128, in shared memory: Stockham, radix 2.
// turns[i] = (cos, -sin) of i/256 of a turn.
extern "C" __global__ void __launch_bounds__(128)
fft(const float2* __restrict__ in, const float2* __restrict__ turns, float2* __restrict__ out) {
  __shared__ float2 parts[512];
  const unsigned t = threadIdx.x, begin = blockIdx.x * 256;
  parts[t] = in[begin + t];
  parts[t + 128] = in[begin + t + 128];
  __syncthreads();
  unsigned from = 0;
  for (unsigned m = 1; m < 256; m *= 2) {
    const unsigned first = t & ~(m - 1), to = 256 - from + t + first;
    const float2 a = parts[from + t], b = parts[from + t + 128], w = turns[first];
    const float2 d = make_float2(a.x - b.x, a.y - b.y);
    parts[to] = make_float2(a.x + b.x, a.y + b.y);
    parts[to + m] = make_float2(w.x * d.x - w.y * d.y, w.x * d.y + w.y * d.x);
    from = 256 - from;
    __syncthreads();
  }
  out[begin + t] = parts[from + t];
  out[begin + t + 128] = parts[from + t + 128];
}
