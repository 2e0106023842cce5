// Each block of 256 adds up its chunk of x into sums[block].
extern "C" __global__ void __launch_bounds__(256)
scan_sums(const float* __restrict__ x, float* __restrict__ sums, unsigned chunk) {
  __shared__ float parts[256];
  const unsigned l = threadIdx.x, begin = blockIdx.x * chunk;
  float sum = 0;
  for (unsigned i = l; i < chunk; i += 256) sum += x[begin + i];
  parts[l] = sum;
  __syncthreads();
  for (unsigned half_size = 128; half_size > 0; half_size /= 2) {
    if (l < half_size) parts[l] += parts[l + half_size];
    __syncthreads();
  }
  if (l == 0) sums[blockIdx.x] = parts[0];
}
