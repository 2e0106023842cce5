// Prefix sums: each block of 256 scans its chunk of x from the sums of the chunks before (Hillis and Steele, 1986).
extern "C" __global__ void __launch_bounds__(256)
scan(const float* __restrict__ x, const float* __restrict__ sums, float* __restrict__ out, unsigned chunk) {
  __shared__ float parts[512];
  const unsigned l = threadIdx.x, begin = blockIdx.x * chunk;
  float before = 0;
  for (unsigned i = 0; i < blockIdx.x; ++i) before += sums[i];
  for (unsigned i = 0; i < chunk; i += 256) {
    unsigned from = 0;
    parts[l] = x[begin + i + l];
    __syncthreads();
    for (unsigned apart = 1; apart < 256; apart *= 2) {
      const float here = parts[from + l];
      parts[(256 - from) + l] = l >= apart ? here + parts[from + l - apart] : here;
      from = 256 - from;
      __syncthreads();
    }
    out[begin + i + l] = before + parts[from + l];
    before += parts[from + 255];
    __syncthreads();
  }
}
